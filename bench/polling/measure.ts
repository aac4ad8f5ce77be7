import { percentile, table } from '../table.ts';
import { type Figures, run, type Schedule } from './run.ts';
import {
  ampleCapacityScenarios,
  callbackScenarios,
  coldAndWarmScenarios,
  type NamedScenario,
  overloadScenarios,
  percentageScenarios,
  wrongAssumptionScenarios,
} from './scenarios.ts';

const SEED = 20_260_101;

const TARGETS = `Targets, at sigma 0.4: images mean at most 1.2 s and videos at most 1.9 s at no more polls than spec; the first 100 images at most
9.0 polls and 1.5 s, images with known durations at most 9.0 polls and 1.15 s; if the assumed median is half the real one, the delay is still shorter than spec's; 1,000 images at once mean at most 3.7 s
and p95 at most 8.5 s; 5,000 live tasks mean at most 1.9 s and p95 at most 4 s; if all callbacks arrive, at most 3 polls and a mean of 0.3 s; if none do,
no more polls and no longer delay than without callback URLs.`;

/** Measures how soon the end of a job is found, and with how many polls, for both values of POLL_SCHEDULE. */
export async function measurePolling(): Promise<void> {
  console.log(`
The real scheduler and tracker on a virtual clock, a simulated gateway 20 ms away in the same process, seed ${SEED} (the first of five if few jobs are counted). The same jobs are used with both
schedules. Polls are counted per job, from the one right after its submit to the one that finds its end; the delay is the time from a job's end to the response that reports it.
spec polls every 2.5 s for 30 s, then every 7.5 s; learned does not know the distribution and learns from the jobs of the run, all of which count.
${TARGETS}`);
  await compare('Ample capacity, nothing known', ampleCapacityScenarios());
  await compare('A new bot, and one that has run for a while', coldAndWarmScenarios());
  await compare('The gateway reports a percentage', percentageScenarios());
  await compare('Stored durations follow another distribution', wrongAssumptionScenarios());
  await compareCallbacks();
  await compare('More polls due than the limits allow (music and videos have sigma 0.4 as well)', overloadScenarios());
}

async function compare(title: string, scenarios: readonly NamedScenario[]): Promise<void> {
  const rows: string[][] = [];
  for (const scenario of scenarios) {
    const spec = await runAll('spec', scenario);
    const learned = await runAll('learned', scenario);
    rows.push([scenario.name, ...cells(spec), ...cells(learned), ...loadCells({ spec, learned })]);
  }
  const head = (schedule: Schedule): string[] => [`${schedule}: polls`, 'mean s', 'p95 s'];
  console.log(`\n${title}:\n`);
  console.log(table(['', ...head('spec'), ...head('learned'), 'live', 'polls/s'], rows));
}

/** Compares runs with and without callback URLs: a task is polled less often if its gateway calls back. */
async function compareCallbacks(): Promise<void> {
  const rows: string[][] = [];
  for (const { name, variants } of callbackScenarios()) {
    const figures: Figures[] = [];
    for (const scenario of variants) figures.push(await runAll('learned', scenario));
    rows.push([name, ...figures.flatMap(cells)]);
  }
  const head = ['no URLs', 'none arrive', 'half arrive', 'all arrive'].flatMap((label) => [
    `${label}: polls`,
    'mean s',
    'p95 s',
  ]);
  console.log('\nCallbacks, of which none, half and all arrive (learned):\n');
  console.log(table(['', ...head], rows));
}

async function runAll(schedule: Schedule, scenario: NamedScenario): Promise<Figures> {
  const { runs = 1 } = scenario;
  const figures: Figures[] = [];
  for (let index = 0; index < runs; index += 1) figures.push(await run(schedule, scenario, SEED + 1_000 * index));
  const sum = (pick: (one: Figures) => number): number => figures.reduce((all, one) => all + pick(one), 0);
  return {
    jobs: sum(({ jobs }) => jobs),
    polls: sum(({ polls }) => polls),
    delays: figures.flatMap(({ delays }) => delays),
    meanLive: sum(({ meanLive }) => meanLive) / runs,
    perSecond: sum(({ perSecond }) => perSecond) / runs,
  };
}

function cells({ jobs, polls, delays }: Figures): string[] {
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  return [(polls / jobs).toFixed(2), seconds(mean), seconds(percentile(delays, 0.95))];
}

function loadCells({ spec, learned }: Record<Schedule, Figures>): string[] {
  const both = (pick: (figures: Figures) => number): string => `${pick(spec).toFixed(0)} / ${pick(learned).toFixed(0)}`;
  return [both(({ meanLive }) => meanLive), both(({ perSecond }) => perSecond)];
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
