import { describe, expect, it } from 'vitest';
import { areSettled, latestCredit, mergeByCause } from '../../../src/services/operations/findings.ts';

const MINUTE_MS = 60_000;

describe('What the bots of a cluster know', () => {
  it('Trouble that several partitions found is one occurrence, since the first of them, with the facts of the last', () => {
    const facts = { kind: 'refused' };
    const lanes = [
      { topic: 'lane', subject: 'imgx', facts: { kind: 'busy' }, since: 5 },
      { topic: 'lane', subject: 'video', facts, since: 1 },
      { topic: 'lane', subject: 'imgx', facts, since: 7 },
      { topic: 'budget', subject: 'usd', facts: { share: 80 } },
      { topic: 'budget', subject: 'usd', facts: { share: 100 } },
    ] as const;
    expect(mergeByCause(lanes)).toEqual([
      { topic: 'lane', subject: 'imgx', facts, since: 5 },
      { topic: 'lane', subject: 'video', facts, since: 1 },
      { topic: 'budget', subject: 'usd', facts: { share: 100 } },
    ]);
  });

  it('Tasks that are not saved are counted in all partitions', () => {
    const unsaved = (count: number, since: number) =>
      ({ topic: 'store', facts: { kind: 'full', unsaved: count }, since }) as const;
    expect(mergeByCause([unsaved(2, 9), unsaved(0, 4), unsaved(3, 6)])).toEqual([unsaved(5, 4)]);
  });

  it('The latest task of a kind in any partition says whether there is credit', () => {
    const [none, some] = [(at: number) => ({ isAvailable: false, at }), (at: number) => ({ isAvailable: true, at })];
    const partitions = [{ image: none(5), video: some(2) }, { image: some(9) }, { video: none(3), image: none(8) }, {}];
    expect(Object.fromEntries(latestCredit(partitions))).toEqual({ image: some(9), video: none(3) });
  });

  it('Nothing ends while a partition has no bot, or while its bot has just started', () => {
    const bot = (startedAt: number) => ({ startedAt, occurrences: [], gateway: { isAccepted: true }, credit: {} });
    expect(areSettled([], 0)).toBe(true);
    expect(areSettled([bot(0), bot(MINUTE_MS)], 3 * MINUTE_MS)).toBe(true);
    expect(areSettled([bot(0), bot(MINUTE_MS + 1)], 3 * MINUTE_MS)).toBe(false);
    expect(areSettled([bot(0), undefined], 3 * MINUTE_MS)).toBe(false);
  });
});
