import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeBody } from '../../../sandbox/discord/judge/index.ts';
import { features, handlers, kindSpecs } from '../../../src/commands/index.ts';
import type { Services } from '../../../src/commands/services.ts';
import { taskSelect, tasks, tasksPageButton } from '../../../src/commands/tasks/feature.ts';
import { customId, customIds, fitsCustomId, readCustomId } from '../../../src/discord/custom-ids.ts';
import type { Button, HandlerContext } from '../../../src/discord/handlers.ts';
import { registrationOf } from '../../../src/discord/registration.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { kindNames } from '../../../src/services/tasks/task.ts';
import { taskId } from '../../../src/services/tasks/task-id.ts';
import { statusFilters } from '../../../src/services/tasks/task-summary.ts';

/** Anything that is requested from the bot, the store above all, would fail on this with something that is no refusal. */
const noOne = {
  origin: { route: { isPrivate: false } },
  services: { tasks: {} },
} as unknown as HandlerContext<Services>;

/** What comes of a press on whatever carries these arguments. */
async function pressed({ verb, press }: Button<Services>, args: readonly string[], chosen: readonly string[] = []) {
  const run = press({ verb, version: 1, args }, chosen);
  if (run instanceof Refusal) throw run;
  return run(noOne);
}

const readFilter = (args: readonly string[]) => customIds.tasks.read({ verb: 'tasks', version: 1, args });

function found(verb: string): Button<Services> {
  const button = handlers.buttons.find((one) => one.verb === verb);
  if (!button) throw new Error(`There is no button ${verb}.`);
  return button;
}

const filters = fc.record({
  whose: fc.constantFrom('mine' as const, 'server' as const),
  kind: fc.option(fc.constantFrom(...kindNames(kindSpecs)), { nil: undefined }),
  standing: fc.option(fc.constantFrom(...statusFilters), { nil: undefined }),
  words: fc.option(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((words) => fitsCustomId(words)),
    { nil: undefined },
  ),
  before: fc.option(fc.nat().map(taskId), { nil: undefined }),
});

it('/tasks is registered as Discord takes it', () => {
  expect(judgeBody('commands', [registrationOf(tasks(kindNames(kindSpecs), features), { userInstall: true })])).toEqual(
    [],
  );
});

it('The filter of /tasks names every kind as the feature of that kind does, and no two alike', () => {
  const enlarge = { text: { tasks: { kinds: { enlarge: 'Enlargement' } } } };
  expect(tasks(['enlarge'], [enlarge]).text.command.choices.kind).toEqual({ enlarge: 'Enlargement' });
  const kinds = kindNames(kindSpecs);
  const names = tasks(kinds, features).text.command.choices.kind;
  expect(Object.keys(names).toSorted()).toEqual(kinds.toSorted());
  expect(new Set(Object.values(names)).size).toBe(kinds.length);
});

describe('a custom id of a list', () => {
  it('A custom id of a list carries any filter there and back', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        for (const verb of [customIds.tasks, customIds.task]) {
          const id = readCustomId(verb.id(filter));
          expect(id && verb.read(id)).toEqual(filter);
        }
      }),
    );
  });

  it('A custom id of a list that is forged is refused before anything is asked', async () => {
    const piece = fc.oneof(
      fc.constantFrom('m', 's', '', 'imagine', 'wo', 'constructor', '__proto__', taskId(0), taskId(0).toUpperCase()),
      fc.string({ unit: 'binary' }),
    );
    const forged = fc.array(piece, { maxLength: 7 }).filter((args) => readFilter(args) instanceof Refusal);
    await fc.assert(
      fc.asyncProperty(forged, async (args) => {
        for (const button of [tasksPageButton, taskSelect])
          await expect(pressed(button, args, [taskId(0)])).rejects.toBeInstanceOf(Refusal);
      }),
    );
  });

  it.each(['', 'x', 'constructor', `${taskId(0)}0`, taskId(0).toUpperCase()])(
    'A custom id of a list from which "%s" was chosen, which is no task, is refused as well',
    async (chosen) => {
      const { args = [] } = readCustomId(customIds.task.id({ whose: 'mine' })) ?? {};
      await expect(pressed(taskSelect, args, [chosen])).rejects.toThrow('refusals.unknownButton');
      await expect(pressed(taskSelect, args)).rejects.toThrow('refusals.unknownButton');
    },
  );
});

describe('a button of a task’s page', () => {
  const verbs = ['show', 'showme', 'showask', 'showall', 'unpost', 'retryo', 'againo', 'againb'];

  it.each(verbs)('%s that is forged is refused before anything is asked', async (verb) => {
    const button = found(verb);
    for (const args of [[], [''], ['x'], ['../..'], [`${taskId(0)}0`]])
      await expect(pressed(button, args)).rejects.toThrow('refusals.unknownButton');
  });

  it('A button of a task’s page has an id that Discord takes, for every task', () => {
    for (const verb of [...verbs, ...handlers.forms.map((form) => form.verb)])
      expect(customId(verb, 1, taskId(Date.UTC(2200, 0)), '0').length).toBeLessThanOrEqual(100);
  });

  it.each(['export', 'forget', 'forgets', 'forgetr'])('%s on a message that others see does nothing', async (verb) => {
    await expect(pressed(found(verb), [])).rejects.toThrow('refusals.unknownButton');
  });
});
