import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/services/tasks/advance.ts';
import { engine } from '../tasks/engine.ts';
import { madeSnapshot, madeTask, order, start } from '../tasks/made.ts';

describe('The start of a run', () => {
  const accepted = madeTask({ state: 'accepted', times: { created: start, accepted: start } });
  const now = start + 60_000;
  const startOf = (facts: Parameters<typeof madeSnapshot>[0]) =>
    advance(accepted, madeSnapshot(facts), now).times.started;

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
    const begun = advance(accepted, madeSnapshot({ startedAt: start + 20_000 }), now);
    expect(advance(begun, madeSnapshot({ startedAt: start + 50_000 }), now).times.started).toBe(start + 20_000);
  });
});

describe('A running task', () => {
  it('Only the scheduler polls a running task: reading the task sends no poll', async () => {
    const side = await engine();
    const task = await side.tasks.orders.submit(order);
    const before = side.gateway.heard.length;
    await expect(side.tasks.fetchSnapshot(task)).rejects.toThrow('under way');
    expect(side.gateway.heard).toHaveLength(before);
    await side.until(() => side.news.find(({ state }) => state === 'ready'));
    const ended = await side.tasks.book.get(task.id);
    expect((await side.tasks.fetchSnapshot(ended ?? task)).state).toBe('succeeded');
  });

  it('A running task stores how long it took, and until when the gateway was polled', async () => {
    const side = await engine();
    const { id } = await side.tasks.orders.submit(order);
    const { times } = await side.until(() => side.news.find((task) => task.id === id && task.state === 'ready'));
    const [duration] = await side.store.durations('imagine');
    expect(duration?.atMostMs).toBe((times.ended ?? 0) - (times.accepted ?? 0));
    expect((times.ended ?? 0) - ((await side.store.lastPolledAt()) ?? 0)).toBeLessThanOrEqual(1_100);
  });
});
