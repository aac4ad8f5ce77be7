import { beforeAll, describe, expect, it } from 'vitest';
import { type Figures, run, type Schedule } from '../../../../bench/polling/run.ts';
import { callbackScenarios } from '../../../../bench/polling/scenarios.ts';

const JOBS = 300;

async function runScenario(
  schedule: Schedule,
  medium: 'images' | 'videos',
  share: number | undefined,
): Promise<Figures> {
  const scenario = callbackScenarios()
    .find(({ name }) => name.startsWith(`${medium}, sigma`))
    ?.variants.find((one) => one.callbackShare === share);
  if (!scenario) throw new Error('There is no scenario with this name.');
  return run(schedule, { ...scenario, warmUpJobs: 150, countedJobs: JOBS }, 7);
}

const pollsPerJob = ({ polls: pollCount, jobs }: Figures): number => pollCount / jobs;
const meanDelay = ({ delays }: Figures): number => delays.reduce((sum, one) => sum + one, 0) / delays.length;

describe.each([
  ['learned', 'images'],
  ['learned', 'videos'],
  ['spec', 'images'],
] as const)('Polls of jobs with callback URLs (%s schedule, %s)', (schedule, medium) => {
  const figuresByShare = new Map<number | undefined, Figures>();
  beforeAll(async () => {
    for (const share of [undefined, 0, 0.5, 1]) figuresByShare.set(share, await runScenario(schedule, medium, share));
  });
  const figuresFor = (share: number | undefined): Figures => {
    const figures = figuresByShare.get(share);
    if (!figures) throw new Error('There are no figures for this share.');
    return figures;
  };

  it('Polls and delays are the same as without callback URLs if no callback arrives', () => {
    expect(pollsPerJob(figuresFor(0))).toBe(pollsPerJob(figuresFor(undefined)));
    expect(figuresFor(0).delays).toEqual(figuresFor(undefined).delays);
  });

  it('There are fewer polls and delays are not much longer if half of the callbacks arrive', () => {
    expect(pollsPerJob(figuresFor(0.5))).toBeLessThan(0.9 * pollsPerJob(figuresFor(undefined)));
    expect(meanDelay(figuresFor(0.5))).toBeLessThan(1.1 * meanDelay(figuresFor(undefined)));
  });

  it('There are few polls and delays are short if all callbacks arrive', () => {
    expect(pollsPerJob(figuresFor(1))).toBeLessThan(schedule === 'spec' ? 5 : 3);
    expect(meanDelay(figuresFor(1))).toBeLessThan(300);
  });
});
