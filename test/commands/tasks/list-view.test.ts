import fc from 'fast-check';
import { expect, it } from 'vitest';
import { validateBody } from '../../../sandbox/discord/validation/index.ts';
import { kindSpecs } from '../../../src/commands/index.ts';
import { taskListPlan } from '../../../src/commands/tasks/list.ts';
import { bodyOf } from '../../../src/discord/message-body.ts';
import { say } from '../../../src/locales/index.ts';
import { kindNames } from '../../../src/services/tasks/kind-spec.ts';
import { taskStates } from '../../../src/services/tasks/task.ts';
import type { TaskSummary } from '../../../src/services/tasks/task-summary.ts';

const violationsOf = (body: unknown) => validateBody('webhook-edit', body);

const baseSummary: TaskSummary = {
  id: '01k3v9x2mabcdefgh',
  kind: 'imagine',
  type: 'imagine',
  state: 'delivered',
  requesterId: '100000000000000001',
  isPrivate: false,
  summary: '',
  createdAt: 0,
  settledAt: 0,
};

function render(lines: readonly TaskSummary[], whose: 'mine' | 'server' = 'mine') {
  return bodyOf(
    taskListPlan(
      { filter: { whose }, summaries: lines, undelivered: { count: 3, hasMore: false }, next: baseSummary.id },
      say,
    ),
  );
}

it.each([
  '',
  '🦊'.repeat(120),
  '\u200b\u2060',
  '\u3164',
  'x'.repeat(119),
  '`**||'.repeat(20),
  `${'a'.repeat(98)}👨‍👩‍👧‍👦 family`,
])('Discord accepts the line and the menu entry of a task with the prompt "%s"', (summary) => {
  expect(violationsOf(render([{ ...baseSummary, summary }]).body)).toEqual([]);
});

it('Discord accepts a page of ten tasks with any prompts, kinds and states', () => {
  const lines = fc.array(
    fc.record({
      summary: fc.string({ unit: 'grapheme', maxLength: 60 }).map((words) => words.replace(/\s+/g, ' ').trim()),
      kind: fc.constantFrom(...kindNames(kindSpecs)),
      state: fc.constantFrom(...taskStates),
      isPrivate: fc.boolean(),
    }),
    { minLength: 1, maxLength: 10 },
  );
  fc.assert(
    fc.property(lines, fc.constantFrom('mine' as const, 'server' as const), (parts, whose) => {
      const summaries = parts.map((one, i) => ({ ...baseSummary, ...one, id: `01k3v9x2mabcdefg${i}` }));
      const { body, files } = render(summaries, whose);
      expect([violationsOf(body), files]).toEqual([[], []]);
      expect(body.content?.endsWith('…')).toBe(false);
    }),
  );
});

it('The upscales of a grid are told apart in the list and in its menu', () => {
  const upscales = [1, 2].map((index) => ({
    ...baseSummary,
    id: `01k3v9x2mabcdefg${index}`,
    kind: 'action' as const,
    type: 'upscale' as const,
    index,
    summary: 'a fox',
  }));
  const { body } = render(upscales);
  for (const name of ['Upscale of image 1', 'Upscale of image 2']) {
    expect(body.content).toContain(`${name} · a fox`);
    expect(JSON.stringify(body.components)).toContain(`"description":"${name} · Finished"`);
  }
});
