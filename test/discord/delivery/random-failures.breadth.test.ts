import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEnded, isLive } from '../../../src/services/tasks/task.ts';
import { createFixture, minutes, planOf, until } from './integration-fixture.ts';

const effect = fc.oneof(
  fc.record({ type: fc.constant('status' as const), status: fc.constantFrom(500, 502, 503) }),
  fc.record({ type: fc.constant('reset' as const), done: fc.boolean() }),
);

const failure = fc.oneof(
  fc.record({
    kind: fc.constant('discord' as const),
    do: effect,
    method: fc.constantFrom('PATCH', 'POST', 'GET'),
    times: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('store' as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

const scenario = fc.record({
  failures: fc.array(failure, { maxLength: 6 }),
  isPrivate: fc.boolean(),
  /** Whether progress was shown before the job ended, and the time from the request to the end. */
  wasProgressShown: fc.boolean(),
  durationMs: fc.constantFrom(minutes(2), minutes(20)),
});

describe('The delivery under any sequence of failures', () => {
  it('Under any failures, the member sees the result, at most one owner ping is sent, and private results stay private', async () => {
    const fixture = await createFixture({
      plan: (task) => ({ ...planOf(task), content: `<@${task.requesterId}> ${task.id} ${task.state}` }),
    });
    const { order, updateTask, tasks, clock, discord, open: openDelivery, timerCount, read, directMessages } = fixture;
    let delivery = fixture.delivery;
    await fc.assert(
      fc.asyncProperty(scenario, async ({ failures, isPrivate, wasProgressShown, durationMs }) => {
        clock.advance(minutes(1));
        const { task } = await order({ isPrivate });
        if (wasProgressShown) {
          await updateTask(task.id, { state: 'running' }, delivery);
          await tasks.waitForEdits(task.id, 1);
        }
        clock.advance(durationMs);
        let storeFailures = 0;
        tasks.shouldFail = (_, next) => hasEnded(next) && storeFailures-- > 0;
        for (const one of failures) {
          if (one.kind === 'store') storeFailures += one.times;
          if (one.kind === 'discord')
            discord.faults.add({ on: { method: one.method, route: /messages|users/ }, do: one.do, times: one.times });
        }
        tasks.put({ ...tasks.get(task.id), state: 'ready', times: { ...task.times, ended: clock.now() } });
        delivery.show(tasks.get(task.id));
        for (const { kind } of failures) {
          if (kind !== 'restart') continue;
          await until(() => timerCount() > 0 || !isLive(tasks.get(task.id)));
          await delivery.finish();
          clock.advance(minutes(1));
          delivery = openDelivery();
          delivery.show(tasks.get(task.id));
        }
        for (;;) {
          await until(() => timerCount() > 0 || !isLive(tasks.get(task.id)));
          if (!isLive(tasks.get(task.id))) break;
          clock.advance(minutes(5));
        }
        discord.faults.clear();
        const lines = [...read(), ...directMessages('member')];
        const results = lines.filter((line) => line.includes(`${task.id} ready`));
        const hints = lines.filter((line) => line.includes(`${task.id} perhaps`));
        // An edit with the token whose response was lost cannot be verified after the token expires, so the owner is sent a hint.
        const mayBeUnverifiable = durationMs < minutes(14) && isPrivate;
        expect(results.length).toBeLessThanOrEqual(1);
        if (hints.length > 0)
          expect({ mayBeUnverifiable, hints }).toEqual({ mayBeUnverifiable: true, hints: [expect.any(String)] });
        else expect(results).toHaveLength(1);
        expect(tasks.get(task.id)).toMatchObject({ state: hints.length > 0 ? 'ready' : 'delivered' });
        const pings = discord
          .messages('studio')
          .filter(({ content, mentions }) => mentions.length > 0 && content.includes(task.id));
        expect(pings.length).toBeLessThanOrEqual(isPrivate ? 0 : 1);
        if (!isPrivate && failures.every(({ kind }) => kind === 'restart')) expect(pings).toHaveLength(1);
        const publicMessages = discord.messages('studio').filter(({ ephemeral }) => !ephemeral);
        if (isPrivate) expect(publicMessages.some(({ content }) => content.includes(task.id))).toBe(false);
      }),
      { numRuns: 30 },
    );
  });
});
