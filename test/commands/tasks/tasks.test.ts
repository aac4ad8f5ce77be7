import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeBody } from '../../../sandbox/discord/judge/index.ts';
import { buttons, forms } from '../../../src/buttons/index.ts';
import { chooseTask, listIds, tasksPageButton } from '../../../src/buttons/tasks.ts';
import { filterFrom, fitsPointer, standings } from '../../../src/commands/tasks/filter.ts';
import { tasks } from '../../../src/commands/tasks.ts';
import { customId, readCustomId } from '../../../src/discord/custom-id.ts';
import { registrationOf } from '../../../src/discord/registration.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { taskKinds } from '../../../src/services/tasks/task.ts';
import { taskId } from '../../../src/services/tasks/task-id.ts';

/** Whatever is asked of the bot, the store above all, would fail on this with something that is no refusal. */
const nobody = { origin: { route: { isPrivate: false } }, services: { tasks: {} } } as unknown as Parameters<
  typeof tasksPageButton.run
>[1];

const filters = fc.record({
  whose: fc.constantFrom('mine' as const, 'server' as const),
  kind: fc.option(fc.constantFrom(...taskKinds), { nil: undefined }),
  standing: fc.option(fc.constantFrom(...standings), { nil: undefined }),
  words: fc.option(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((words) => fitsPointer(words)),
    { nil: undefined },
  ),
  before: fc.option(fc.nat().map(taskId), { nil: undefined }),
});

it('/tasks is registered as Discord takes it', () => {
  expect(judgeBody('commands', [registrationOf(tasks, { userInstall: true })])).toEqual([]);
});

describe('a custom id of a list', () => {
  it('carries any filter there and back', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        for (const id of [listIds.page(filter), listIds.choose(filter)])
          expect(filterFrom(readCustomId(id)?.args ?? [])).toEqual(filter);
      }),
    );
  });

  it('that is forged is refused before anything is asked', async () => {
    const piece = fc.oneof(
      fc.constantFrom('m', 's', '', 'imagine', 'wo', 'constructor', '__proto__', taskId(0), taskId(0).toUpperCase()),
      fc.string({ unit: 'binary' }),
    );
    const forged = fc.array(piece, { maxLength: 7 }).filter((args) => filterFrom(args) === undefined);
    await fc.assert(
      fc.asyncProperty(forged, async (args) => {
        for (const { run } of [tasksPageButton, chooseTask])
          await expect(run({ args, chosen: [taskId(0)] }, nobody)).rejects.toBeInstanceOf(Refusal);
      }),
    );
  });

  it.each(['', 'x', 'constructor', `${taskId(0)}0`, taskId(0).toUpperCase()])(
    'from which "%s" was chosen, which is no task, is refused as well',
    async (chosen) => {
      const { args = [] } = readCustomId(listIds.choose({ whose: 'mine' })) ?? {};
      await expect(chooseTask.run({ args, chosen: [chosen] }, nobody)).rejects.toThrow('refusals.unknownButton');
      await expect(chooseTask.run({ args, chosen: [] }, nobody)).rejects.toThrow('refusals.unknownButton');
    },
  );
});

describe('a button of a task’s page', () => {
  const verbs = ['show', 'showme', 'showask', 'showall', 'unpost', 'retryo', 'againo', 'againb'];

  it.each(verbs)('%s that is forged is refused before anything is asked', async (verb) => {
    const button = buttons.find((one) => one.verb === verb);
    for (const args of [[], [''], ['x'], ['../..'], [`${taskId(0)}0`]])
      await expect(button?.run({ args, chosen: [] }, nobody)).rejects.toThrow('refusals.unknownButton');
  });

  it('has an id that Discord takes, whatever the task', () => {
    for (const verb of [...verbs, ...forms.map((form) => form.verb)])
      expect(customId(verb, 1, taskId(Date.UTC(2200, 0)), '0').length).toBeLessThanOrEqual(100);
  });

  it.each(['export', 'forget', 'forgets', 'forgetr'])('%s on a message that others see does nothing', async (verb) => {
    const button = buttons.find((one) => one.verb === verb);
    await expect(button?.run({ args: [], chosen: [] }, nobody)).rejects.toThrow('refusals.unknownButton');
  });
});
