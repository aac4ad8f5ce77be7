import { describe, expect, it } from 'vitest';
import { all, stage } from './stage.ts';

describe('Stopping the scheduler', () => {
  it('A stopping scheduler starts no poll, waits for those in flight, and leaves no timer behind', async () => {
    const { scheduler, patient, at, pass, open, own, lines } = stage();
    const road = patient('l');
    for (const id of ['a', 'b']) scheduler.add({ id, lane: road, group: 'g', at: at(0) });
    scheduler.add({ id: 'c', lane: road, group: 'g', at: at(1_000) });
    scheduler.start();
    await pass(0);
    let hasStopped = false;
    const stopped = scheduler.stop().then(() => {
      hasStopped = true;
    });
    expect(own.count).toBe(0);
    open[0]?.answer(all(['a'], { again: at(500) }));
    await pass(5_000);
    expect(hasStopped).toBe(false);
    open[1]?.answer({ kind: 'refused', reason: 'The key is not valid.' });
    await stopped;
    scheduler.hint('c');
    scheduler.add({ id: 'd', lane: road, group: 'g', at: at(0) });
    await pass(60_000);
    expect(open).toHaveLength(2);
    expect(own.count).toBe(0);
    expect(lines).toEqual([]);
    expect(scheduler.troubles()).toEqual([]);
  });

  it('A scheduler stops immediately if nothing is in flight, even before its start, and repeatedly', async () => {
    const { scheduler, own } = stage();
    await scheduler.stop();
    scheduler.start();
    await Promise.all([scheduler.stop(), scheduler.stop()]);
    expect(own.count).toBe(0);
  });

  it('A stopping scheduler waits for a poll that fails', async () => {
    const { scheduler, patient, at, pass, open } = stage();
    scheduler.add({ id: 'a', lane: patient('l'), group: 'g', at: at(0) });
    scheduler.start();
    await pass(0);
    const stopped = scheduler.stop();
    open[0]?.fail(new Error('torn down'));
    await expect(stopped).resolves.toBeUndefined();
  });

  it('A scheduler that is stopped in the middle of a round does not send the rest of the round', async () => {
    const { scheduler, lane, at, pass, questions } = stage();
    let stopped = Promise.resolve();
    const road = lane('l', (ids) => {
      stopped = scheduler.stop();
      return all(ids, 'done');
    });
    for (const id of ['a', 'b', 'c']) scheduler.add({ id, lane: road, group: 'g', at: at(0) });
    scheduler.start();
    await pass(1_000);
    await stopped;
    expect(questions).toHaveLength(1);
  });

  it('A stopped scheduler loses nothing: after another start everything is polled, whatever responses came in between', async () => {
    const { scheduler, patient, at, pass, open } = stage();
    scheduler.add({ id: 'a', lane: patient('l'), group: 'g', at: at(0) });
    scheduler.start();
    await pass(0);
    const stopped = scheduler.stop();
    open[0]?.answer(all(['a'], 'done'));
    await stopped;
    scheduler.start();
    await pass(2_000);
    expect(open.map(({ ids }) => ids)).toEqual([['a'], ['a']]);
  });
});
