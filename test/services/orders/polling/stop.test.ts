import { describe, expect, it } from 'vitest';
import { createFixture, verdictForAll } from './fixture.ts';

describe('Stopping the scheduler', () => {
  it('A stopping scheduler starts no poll, waits for those in flight, and leaves no timer behind', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls, timers, lines } = createFixture();
    const testLane = manualLane('l');
    for (const id of ['a', 'b']) scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.add({ id: 'c', lane: testLane, group: 'g', nextPollAt: at(1_000) });
    scheduler.start();
    await pass(0);
    let hasStopped = false;
    const stopped = scheduler.stop().then(() => {
      hasStopped = true;
    });
    expect(timers.count).toBe(0);
    pendingPolls[0]?.answer(verdictForAll(['a'], { again: at(500) }));
    await pass(5_000);
    expect(hasStopped).toBe(false);
    pendingPolls[1]?.answer({ kind: 'refused', reason: 'The key is not valid.' });
    await stopped;
    scheduler.hint('c');
    scheduler.add({ id: 'd', lane: testLane, group: 'g', nextPollAt: at(0) });
    await pass(60_000);
    expect(pendingPolls).toHaveLength(2);
    expect(timers.count).toBe(0);
    expect(lines).toEqual([]);
    expect(scheduler.troubles()).toEqual([]);
  });

  it('A scheduler stops immediately if nothing is in flight, even before its start, and repeatedly', async () => {
    const { scheduler, timers } = createFixture();
    await scheduler.stop();
    scheduler.start();
    await Promise.all([scheduler.stop(), scheduler.stop()]);
    expect(timers.count).toBe(0);
  });

  it('A stopping scheduler waits for a poll that fails', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    scheduler.add({ id: 'a', lane: manualLane('l'), group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(0);
    const stopped = scheduler.stop();
    pendingPolls[0]?.fail(new Error('torn down'));
    await expect(stopped).resolves.toBeUndefined();
  });

  it('A scheduler that is stopped in the middle of a round does not send the rest of the round', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture();
    let stopped = Promise.resolve();
    const testLane = lane('l', (ids) => {
      stopped = scheduler.stop();
      return verdictForAll(ids, 'done');
    });
    for (const id of ['a', 'b', 'c']) scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(1_000);
    await stopped;
    expect(polls).toHaveLength(1);
  });

  it('A stopped scheduler loses nothing: after another start everything is polled, whatever responses came in between', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    scheduler.add({ id: 'a', lane: manualLane('l'), group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(0);
    const stopped = scheduler.stop();
    pendingPolls[0]?.answer(verdictForAll(['a'], 'done'));
    await stopped;
    scheduler.start();
    await pass(2_000);
    expect(pendingPolls.map(({ ids }) => ids)).toEqual([['a'], ['a']]);
  });
});
