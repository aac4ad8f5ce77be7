import { table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';
import { type Figures, run, type Way } from './run.ts';
import { calledBack, coldAndWarm, crowded, type Named, unhurried, wronglyBelieved } from './scenarios.ts';

const SEED = 20_260_101;

const TARGETS = `Targets, at sigma 0.4: images mean at most 1.2 s and videos at most 1.9 s at no more polls than spec; the first 100 images at most
9.0 polls and 1.5 s, known ones at most 9.0 polls and 1.15 s; a median thought half still beats spec's delay; 1,000 images at once mean at most 3.7 s
and p95 at most 8.5 s; 5,000 live tasks mean at most 1.9 s and p95 at most 4 s; where all callbacks arrive at most 3 polls and a mean of 0.3 s, and where none do
no more polls and no longer delay than without addresses.`;

/** Measures how soon the end of a job is found, and with how many polls: POLL_SCHEDULE=learned compared with spec. */
export async function measurePolling(): Promise<void> {
  console.log(`
The real scheduler and tracker on a virtual clock, a simulated gateway 20 ms away in the same process, seed ${SEED} (first of five where few jobs are counted). The same jobs come in both
ways. Polls are counted by job, from the one right after its submit to the one that finds its end; delay is from a job's end to its answer.
spec polls every 2.5 s for 30 s, then every 7.5 s; learned is never told the law and learns from the run's own jobs, all of which count.
${TARGETS}`);
  await compare('Plenty of room, nothing known before', unhurried());
  await compare('A new bot, and one that has run for a while', coldAndWarm());
  await compare('The store believes in another law', wronglyBelieved());
  await compareCallbacks();
  await compare('More wanted than there is room for (music and videos have sigma 0.4 as well)', crowded());
}

async function compare(title: string, scenarios: readonly Named[]): Promise<void> {
  const rows: string[][] = [];
  for (const scenario of scenarios) {
    const spec = await runAll('spec', scenario);
    const learned = await runAll('learned', scenario);
    rows.push([scenario.name, ...cells(spec), ...cells(learned), ...loads({ spec, learned })]);
  }
  const head = (way: Way): string[] => [`${way}: polls`, 'mean s', 'p95 s'];
  console.log(`\n${title}:\n`);
  console.log(table(['', ...head('spec'), ...head('learned'), 'live', 'polls/s'], rows));
}

/** A task whose gateway calls back is polled less. */
async function compareCallbacks(): Promise<void> {
  const rows: string[][] = [];
  for (const { name, ways } of calledBack()) {
    const figures: Figures[] = [];
    for (const scenario of ways) figures.push(await runAll('learned', scenario));
    rows.push([name, ...figures.flatMap(cells)]);
  }
  const head = ['no addresses', 'none arrive', 'half', 'all'].flatMap((way) => [`${way}: polls`, 'mean s', 'p95 s']);
  console.log('\nCallbacks, of which none, half and all arrive (learned):\n');
  console.log(table(['', ...head], rows));
}

async function runAll(way: Way, scenario: Named): Promise<Figures> {
  const { runs = 1 } = scenario;
  const figures: Figures[] = [];
  for (let place = 0; place < runs; place += 1) figures.push(await run(way, scenario, SEED + 1_000 * place));
  const sum = (pick: (one: Figures) => number): number => figures.reduce((all, one) => all + pick(one), 0);
  return {
    jobs: sum(({ jobs }) => jobs),
    questions: sum(({ questions }) => questions),
    delays: figures.flatMap(({ delays }) => delays),
    meanLive: sum(({ meanLive }) => meanLive) / runs,
    perSecond: sum(({ perSecond }) => perSecond) / runs,
  };
}

function cells({ jobs, questions, delays }: Figures): string[] {
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  return [(questions / jobs).toFixed(2), seconds(mean), seconds(percentile(delays, 0.95))];
}

function loads({ spec, learned }: Record<Way, Figures>): string[] {
  const both = (pick: (figures: Figures) => number): string => `${pick(spec).toFixed(0)} / ${pick(learned).toFixed(0)}`;
  return [both(({ meanLive }) => meanLive), both(({ perSecond }) => perSecond)];
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
