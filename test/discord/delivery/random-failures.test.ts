import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEnded, isLive } from '../../../src/services/tasks/task.ts';
import { minutes, planOf, scene, until } from './scene.ts';

const effect = fc.oneof(
  fc.record({ type: fc.constant('status' as const), status: fc.constantFrom(500, 502, 503) }),
  fc.record({ type: fc.constant('reset' as const), done: fc.boolean() }),
);

const blow = fc.oneof(
  fc.record({
    kind: fc.constant('discord' as const),
    do: effect,
    method: fc.constantFrom('PATCH', 'POST', 'GET'),
    times: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('store' as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

const storm = fc.record({
  blows: fc.array(blow, { maxLength: 6 }),
  isPrivate: fc.boolean(),
  /** Whether progress was shown before, and the time from the request to the end. */
  isKnown: fc.boolean(),
  after: fc.constantFrom(minutes(2), minutes(20)),
});

describe('The delivery under any sequence of failures', () => {
  it('Under any failures, the member sees the result, at most one owner ping is sent, and private results stay private', async () => {
    const stage = await scene({
      plan: (task) => ({ ...planOf(task), content: `<@${task.requesterId}> ${task.id} ${task.state}` }),
    });
    const { order, updateTask, tasks, clock, discord, open, timers, read, directMessages } = stage;
    let delivery = stage.delivery;
    await fc.assert(
      fc.asyncProperty(storm, async ({ blows, isPrivate, isKnown, after }) => {
        clock.advance(minutes(1));
        const { task } = await order({ isPrivate });
        if (isKnown) {
          await updateTask(task.id, { state: 'running' }, delivery);
          await tasks.untilEdits(task.id, 1);
        }
        clock.advance(after);
        let storeFailures = 0;
        tasks.failsOn = (_, next) => hasEnded(next) && storeFailures-- > 0;
        for (const one of blows) {
          if (one.kind === 'store') storeFailures += one.times;
          if (one.kind === 'discord')
            discord.faults.add({ on: { method: one.method, route: /messages|users/ }, do: one.do, times: one.times });
        }
        tasks.put({ ...tasks.get(task.id), state: 'ready', times: { ...task.times, ended: clock.now() } });
        delivery.show(tasks.get(task.id));
        for (const { kind } of blows) {
          if (kind !== 'restart') continue;
          await until(() => timers() > 0 || !isLive(tasks.get(task.id)));
          await delivery.finish();
          clock.advance(minutes(1));
          delivery = open();
          delivery.show(tasks.get(task.id));
        }
        for (;;) {
          await until(() => timers() > 0 || !isLive(tasks.get(task.id)));
          if (!isLive(tasks.get(task.id))) break;
          clock.advance(minutes(5));
        }
        discord.faults.clear();
        const lines = [...read(), ...directMessages('member')];
        const seen = lines.filter((line) => line.includes(`${task.id} ready`));
        const hints = lines.filter((line) => line.includes(`${task.id} perhaps`));
        // An edit with the token whose response was lost cannot be verified after the token expires, so the owner is told.
        const mayBeBlind = after < minutes(14) && isPrivate;
        expect(seen.length).toBeLessThanOrEqual(1);
        if (hints.length > 0) expect({ mayBeBlind, hints }).toEqual({ mayBeBlind: true, hints: [expect.any(String)] });
        else expect(seen).toHaveLength(1);
        expect(tasks.get(task.id)).toMatchObject({ state: hints.length > 0 ? 'ready' : 'delivered' });
        const called = discord
          .messages('studio')
          .filter(({ content, mentions }) => mentions.length > 0 && content.includes(task.id));
        expect(called.length).toBeLessThanOrEqual(isPrivate ? 0 : 1);
        if (!isPrivate && blows.every(({ kind }) => kind === 'restart')) expect(called).toHaveLength(1);
        const others = discord.messages('studio').filter(({ ephemeral }) => !ephemeral);
        if (isPrivate) expect(others.some(({ content }) => content.includes(task.id))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
