import { readdir, readFile } from 'node:fs/promises';

/** The unit in which proc_pid_stat(5) reports CPU time. */
const TICK_MS = 10;
/** Indexes of the fields after the command, which is in parentheses and may contain anything. */
const [GROUP, USER, SYSTEM] = [2, 11, 12] as const;
const [WAITED_USER, WAITED_SYSTEM] = [13, 14] as const;

/** `leader` and the processes that it has started, unless they have left its process group. */
export async function processesOf(leader: number): Promise<number[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const fields = await Promise.all(numbers.map(fieldsOf));
  return numbers.filter((_, index) => Number(fields[index]?.[GROUP]) === leader);
}

/** The CPU time that these processes have used so far, in milliseconds, including that of their exited children. */
export async function cpuTime(processes: readonly number[]): Promise<number> {
  const fields = await Promise.all(processes.map(fieldsOf));
  const ticks = fields.flatMap((values) =>
    values ? [USER, SYSTEM, WAITED_USER, WAITED_SYSTEM].map((field) => Number(values[field])) : [],
  );
  return TICK_MS * ticks.reduce((sum, count) => sum + count, 0);
}

/** The current memory use of a process, and its peak. */
export const residentBytes = (pid: number): Promise<number> => bytesOf('VmRSS', pid);
export const peakResidentBytes = (pid: number): Promise<number> => bytesOf('VmHWM', pid);

/** The current memory use of these processes, with each shared page counted once. */
export async function proportionalBytes(processes: readonly number[]): Promise<number> {
  const maps = await Promise.all(processes.map((pid) => readIfRunning(`/proc/${pid}/smaps_rollup`)));
  return maps.reduce((sum, map) => sum + 1_024 * Number(/^Pss:\s+(\d+)/m.exec(map ?? '')?.[1] ?? 0), 0);
}

async function bytesOf(name: string, pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
}

async function fieldsOf(pid: number): Promise<string[] | undefined> {
  const stat = await readIfRunning(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Undefined if the process has ended. */
async function readIfRunning(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}
