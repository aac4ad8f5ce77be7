import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../sandbox/discord/validation/index.ts';
import type { Services } from '../../../src/commands/feature.ts';
import { handlers, kindSpecs } from '../../../src/commands/index.ts';
import { taskSelect, tasks, tasksPageButton } from '../../../src/commands/tasks/feature.ts';
import { customId, customIds, fitsCustomId, readCustomId } from '../../../src/discord/custom-ids.ts';
import type { Handler, HandlerContext } from '../../../src/discord/handlers.ts';
import { registrationOf } from '../../../src/discord/registration.ts';
import type { TargetMessage } from '../../../src/discord/target-message.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { kindNames } from '../../../src/services/tasks/kind-spec.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { statusFilters } from '../../../src/services/tasks/task-summary.ts';

/** A context without services: any access to the store would throw something other than a refusal. */
const bareContext = {
  origin: { route: { isPrivate: false } },
  services: { tasks: {} },
} as unknown as HandlerContext<Services>;

/** Presses a button with these arguments. */
async function pressButton({ verb, read }: Handler<Services>, args: readonly string[], chosen: readonly string[] = []) {
  const handling = read({ verb, version: 1, args });
  if (!('press' in handling)) throw new Error(`${verb} is not the verb of a button.`);
  return handling.press(bareContext, { selectedValues: chosen, message: {} as TargetMessage });
}

const readFilter = (args: readonly string[]) => customIds.tasks.read({ verb: 'tasks', version: 1, args });

function buttonOf(verb: string): Handler<Services> {
  const button = handlers.handlers.find((one) => one.verb === verb);
  if (!button) throw new Error(`There is no button ${verb}.`);
  return button;
}

const filters = fc.record({
  whose: fc.constantFrom('mine' as const, 'server' as const),
  kind: fc.option(fc.constantFrom(...kindNames(kindSpecs)), { nil: undefined }),
  status: fc.option(fc.constantFrom(...statusFilters), { nil: undefined }),
  words: fc.option(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((words) => fitsCustomId(words)),
    { nil: undefined },
  ),
  before: fc.option(fc.nat().map(createTaskId), { nil: undefined }),
});

it('Discord accepts the registration of /tasks', () => {
  expect(validateBody('commands', [registrationOf(tasks(kindNames(kindSpecs)), { userInstall: true })])).toEqual([]);
});

it('The kind filter of /tasks names each kind, and all names differ', () => {
  const kinds = kindNames(kindSpecs);
  const { options = [] } = registrationOf(tasks(kinds), { userInstall: true });
  const filter = options.find(({ name }) => name === 'kind');
  const choices = filter && 'choices' in filter ? (filter.choices ?? []) : [];
  expect(choices.map(({ value }) => value)).toEqual(kinds);
  expect(new Set(choices.map(({ name }) => name)).size).toBe(kinds.length);
});

describe('The custom id of a task list', () => {
  it('The custom ids of a task list and of the pages opened from it preserve every filter', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        for (const verb of [customIds.tasks, customIds.task]) {
          const id = readCustomId(verb.id(filter));
          expect(id && verb.read(id)).toEqual(filter);
        }
        const pointer = { taskId: createTaskId(0), list: filter };
        for (const verb of [customIds.taskPage, customIds.taskDetails]) {
          const id = readCustomId(verb.id(pointer));
          expect(id && verb.read(id)).toEqual(pointer);
        }
      }),
    );
  });

  it('A forged custom id of a task list is refused before the store is read', { tags: ['breadth'] }, async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'm',
        's',
        '',
        'imagine',
        'wo',
        'constructor',
        '__proto__',
        createTaskId(0),
        createTaskId(0).toUpperCase(),
      ),
      fc.string({ unit: 'binary' }),
    );
    const forged = fc.array(piece, { maxLength: 7 }).filter((args) => readFilter(args) instanceof Refusal);
    await fc.assert(
      fc.asyncProperty(forged, async (args) => {
        for (const button of [tasksPageButton, taskSelect])
          await expect(pressButton(button, args, [createTaskId(0)])).rejects.toBeInstanceOf(Refusal);
      }),
    );
  });

  it.each(['', 'x', 'constructor', `${createTaskId(0)}0`, createTaskId(0).toUpperCase()])(
    'Choosing "%s", which is not a task, from a task list is refused',
    async (chosen) => {
      const { args = [] } = readCustomId(customIds.task.id({ whose: 'mine' })) ?? {};
      await expect(pressButton(taskSelect, args, [chosen])).rejects.toThrow('refusals.unknownButton');
      await expect(pressButton(taskSelect, args)).rejects.toThrow('refusals.unknownButton');
    },
  );
});

describe('The buttons of a task’s page', () => {
  const verbs = ['tp', 'td', 'show', 'showme', 'showask', 'showall', 'unpost', 'retryo', 'againo', 'againb'];

  it.each(verbs)('A forged "%s" button of a task’s page is refused before the store is read', async (verb) => {
    const button = buttonOf(verb);
    for (const args of [[], [''], ['x'], ['../..'], [`${createTaskId(0)}0`]])
      await expect(pressButton(button, args)).rejects.toThrow('refusals.unknownButton');
  });

  it('The buttons of a task’s page have ids that Discord accepts for every task', () => {
    for (const verb of [...verbs, ...handlers.handlers.map((handler) => handler.verb)])
      expect(customId(verb, 1, createTaskId(Date.UTC(2200, 0)), '0').length).toBeLessThanOrEqual(100);
  });

  it.each(['export', 'forget', 'forgets', 'forgetr'])(
    'The button "%s" is refused on a public message',
    async (verb) => {
      await expect(pressButton(buttonOf(verb), [])).rejects.toThrow('refusals.unknownButton');
    },
  );
});
