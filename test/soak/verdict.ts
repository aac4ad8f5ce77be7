import { table } from '../../bench/table.ts';
import { type CalmPoint, counts } from './calm-point.ts';

const MIB = 2 ** 20;
const MAX_GROWTH_PER_JOB = MIB / 1_000;
/** What a process may add however few its jobs are, such as code that runs for the first time. */
const MIN_GROWTH = 4 * MIB;
/** Kinds and failures are drawn at random, so the rows of as many tasks differ by chance. */
const STANDARD_DEVIATIONS = 3;

/** One sentence for each limit that was passed after the first calm point. */
export function passedLimits(points: readonly CalmPoint[]): string[] {
  const [base, last] = [points.at(0), points.at(-1)];
  if (!base || !last) return ['Nothing was measured.'];
  const processes = Map.groupBy(points, (point) => point.process);
  return [...processes.values()].flatMap(memoryLeak).concat(
    counts.flatMap((name) => {
      const [before, after] = [base.counts[name], last.counts[name]];
      return after > before ? [`There are ${after} ${name}, and there were ${before} after the first part.`] : [];
    }),
    [...last.rows].flatMap(([namespace, rows]) => {
      const ratio = finishedCount(last) / finishedCount(base);
      const expected = ratio * (base.rows.get(namespace) ?? 0);
      const limit = Math.ceil(expected + STANDARD_DEVIATIONS * Math.sqrt((1 + ratio) * expected + 1));
      return rows > limit ? [`There are ${rows} rows in ${namespace}, and at most ${limit} were expected.`] : [];
    }),
  );
}

function memoryLeak(points: readonly CalmPoint[]): string[] {
  const [base, last] = [points.at(0), points.at(-1)];
  if (!base || !last) return [];
  const growth = last.memoryBytes - base.memoryBytes;
  const jobs = last.jobs - base.jobs;
  if (growth <= Math.max(MIN_GROWTH, jobs * MAX_GROWTH_PER_JOB)) return [];
  return [`Process ${last.process} grew by ${mib(growth)} MiB in ${jobs} jobs.`];
}

export function tableOf(points: readonly CalmPoint[]): string {
  const head = ['after part', 'process', 'jobs', 'finished', 'MiB', 'resident MiB', ...counts, 'rows a finished task'];
  const rows = points.map((point, index) => [
    String(index + 1),
    ...[point.process, point.jobs, finishedCount(point)].map(String),
    ...[mib(point.memoryBytes), mib(point.residentBytes)],
    ...counts.map((name) => String(point.counts[name])),
    rowsPerTask(
      point,
      [...point.rows.values()].reduce((sum, count) => sum + count, 0),
    ),
  ]);
  const namespaces = [...(points.at(-1)?.rows.keys() ?? [])].map((namespace) => [
    namespace,
    ...points.map((point) => rowsPerTask(point, point.rows.get(namespace) ?? 0)),
  ]);
  return `${table(head, rows)}\n\n${table(['rows a finished task', ...points.map((_, index) => String(index + 1))], namespaces)}`;
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(1);
const finishedCount = ({ rows }: CalmPoint): number => rows.get('finished') ?? 0;
const rowsPerTask = (point: CalmPoint, rows: number): string => (rows / finishedCount(point)).toFixed(3);
