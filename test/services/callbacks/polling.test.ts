import { beforeAll, describe, expect, it } from 'vitest';
import { type Figures, run, type Way } from '../../../bench/polling/run.ts';
import { calledBack } from '../../../bench/polling/scenarios.ts';

const JOBS = 300;

async function figures(way: Way, sort: 'images' | 'videos', share: number | undefined): Promise<Figures> {
  const scenario = calledBack()
    .find(({ name }) => name.startsWith(`${sort}, sigma`))
    ?.ways.find((one) => one.calledBack === share);
  if (!scenario) throw new Error('There is no scenario with this name.');
  return run(way, { ...scenario, before: 150, counted: JOBS }, 7);
}

const polls = ({ questions, jobs }: Figures): number => questions / jobs;
const delay = ({ delays }: Figures): number => delays.reduce((sum, one) => sum + one, 0) / delays.length;

describe.each([
  ['learned', 'images'],
  ['learned', 'videos'],
  ['spec', 'images'],
] as const)('Polls on the %s schedule of %s that may be called back', (way, sort) => {
  const all = new Map<number | undefined, Figures>();
  beforeAll(async () => {
    for (const share of [undefined, 0, 0.5, 1]) all.set(share, await figures(way, sort, share));
  }, 120_000);
  const of = (share: number | undefined): Figures => {
    const known = all.get(share);
    if (!known) throw new Error('This was not run.');
    return known;
  };

  it('If no callback arrives, polls and delays are the same as without callback URLs', () => {
    expect(polls(of(0))).toBe(polls(of(undefined)));
    expect(of(0).delays).toEqual(of(undefined).delays);
  });

  it('If half of the callbacks arrive, there are fewer polls and the delays are not longer', () => {
    expect(polls(of(0.5))).toBeLessThan(0.9 * polls(of(undefined)));
    expect(delay(of(0.5))).toBeLessThan(1.1 * delay(of(undefined)));
  });

  it('If all callbacks arrive, there are few polls and hardly any delay', () => {
    expect(polls(of(1))).toBeLessThan(way === 'spec' ? 5 : 3);
    expect(delay(of(1))).toBeLessThan(300);
  });
});
