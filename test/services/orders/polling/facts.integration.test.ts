import { describe, expect, it } from 'vitest';
import { advance } from '../../../../src/services/tasks/advance.ts';
import { buildSnapshot, buildTask, order, start } from '../builders.ts';
import { startEngine } from '../engine.ts';

describe('The start of a run', () => {
  const accepted = buildTask({ state: 'accepted', times: { created: start, accepted: start } });
  const now = start + 60_000;
  const startOf = (facts: Parameters<typeof buildSnapshot>[0]) =>
    advance(accepted, buildSnapshot(facts), now).times.started;

  it("The start of a run is determined by the bot's clock, however wrong the gateway's clock is", () => {
    const hour = 3_600_000;
    expect(startOf({ submittedAt: start - hour, startedAt: start - hour + 40_000 })).toBe(start + 40_000);
  });

  it('The start of a run is between the submit and now, regardless of what the gateway reports', () => {
    expect(startOf({ startedAt: start + 20_000 })).toBe(start + 20_000);
    expect(startOf({ startedAt: 7 })).toBe(start);
    expect(startOf({ startedAt: now + 7 })).toBe(now);
  });

  it('The start of a run is unknown while the job is queued, and if the gateway does not report it', () => {
    expect(startOf({ state: 'queued', startedAt: start })).toBeUndefined();
    expect(startOf({})).toBeUndefined();
  });

  it('The start of a run never changes once it is known', () => {
    const runningTask = advance(accepted, buildSnapshot({ startedAt: start + 20_000 }), now);
    expect(advance(runningTask, buildSnapshot({ startedAt: start + 50_000 }), now).times.started).toBe(start + 20_000);
  });
});

describe('A running task', () => {
  it('Only the scheduler polls a running task: reading the task sends no poll', async () => {
    const setup = await startEngine();
    const task = await setup.tasks.orders.submit(order);
    const requestsBefore = setup.gateway.requests.length;
    await expect(setup.tasks.fetchSnapshot(task)).rejects.toThrow('under way');
    expect(setup.gateway.requests).toHaveLength(requestsBefore);
    await setup.until(() => setup.changes.find(({ state }) => state === 'ready'));
    const ended = await setup.tasks.book.get(task.id);
    expect((await setup.tasks.fetchSnapshot(ended ?? task)).state).toBe('succeeded');
  });

  it('A running task stores how long it took, and when the gateway was last polled', async () => {
    const setup = await startEngine();
    const { id } = await setup.tasks.orders.submit(order);
    const { times } = await setup.until(() => setup.changes.find((task) => task.id === id && task.state === 'ready'));
    const [duration] = await setup.store.durations('imagine');
    expect(duration?.atMostMs).toBe((times.ended ?? 0) - (times.accepted ?? 0));
    expect((times.ended ?? 0) - ((await setup.store.polling.read())?.at ?? 0)).toBeLessThanOrEqual(1_100);
  });
});
