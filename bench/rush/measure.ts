import { parseArgs } from 'node:util';
import { machineLoad } from '../cluster/machine-load.ts';
import { alternate, rangeOf, ratioOf } from '../compare.ts';
import { percentile, table } from '../table.ts';
import { measureOneRush, type RushFigures } from './rush.ts';
import { withWorktree } from './worktree.ts';

const JOBS = 500;
const ROUNDS = 3;
const MIB = 2 ** 20;
const THIS_TREE = { [new URL('../../', import.meta.url).href]: 'this tree' };

type Row = readonly [name: string, digits: number, pick: (figures: RushFigures) => number];

const rows: readonly Row[] = [
  ['end of the job to its result, mean, s', 2, ({ delays }) => meanOf(delays) / 1_000],
  ['the same, p95, s', 2, ({ delays }) => percentile(delays, 0.95) / 1_000],
  ['polls a job', 1, ({ pollsPerJob }) => pollsPerJob],
  ['acknowledgement, p50, ms', 0, ({ acknowledgements }) => percentile(acknowledgements, 0.5)],
  ['the same, p99, ms', 0, ({ acknowledgements }) => percentile(acknowledgements, 0.99)],
  ['CPU a job, ms', 1, ({ cpuMsPerJob }) => cpuMsPerJob],
  ['most memory, MiB', 0, ({ peakBytes }) => peakBytes / MIB],
];

/** npm run bench rush [-- --jobs N] [--rounds N] [--against COMMIT] */
export async function measureRush(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { jobs: { type: 'string' }, rounds: { type: 'string' }, against: { type: 'string' } },
  });
  const { jobs = JOBS, rounds = ROUNDS, against } = values;
  const measure = (trees: Trees): Promise<void> => measureTrees(trees, Number(jobs), Number(rounds));
  if (against === undefined) await measure(THIS_TREE);
  else await withWorktree(against, (root) => measure({ [root.href]: against, ...THIS_TREE }));
}

/** The names of source trees, by the URLs of their root folders. */
type Trees = Readonly<Record<string, string>>;

async function measureTrees(trees: Trees, jobs: number, rounds: number): Promise<void> {
  const sides = Object.values(await alternate(trees, rounds, (root) => measureOneRush(jobs, new URL(root))));
  const [base = [], here] = sides;
  const cells = rows.map(([name, digits, pick]) => [
    name,
    ...sides.map((side) => rangeOf(pick, digits)(side, base)),
    ...(here ? [ratioOf(pick)(here, base)] : []),
  ]);
  console.log(`
${jobs} \`/imagine\` in 10 s, jobs with a median of 20 s and a sigma of 0.4; CPU and memory are those of the bot and its children.
Median (minimum to maximum) of ${rounds} rounds. ${machineLoad()}
`);
  console.log(table(['', ...Object.values(trees), ...(here ? ['ratio'] : [])], cells));
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
