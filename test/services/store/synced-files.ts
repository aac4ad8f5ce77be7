import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Whether system calls can be traced here: strace may be missing, or forbidden in a container. */
export const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** The arguments with which strace notes every write and sync of a program, without what is written. */
export const traceArgs = (traceFile: string, program: string, ...args: readonly string[]): string[] => [
  ...['-f', '-y', '-s', '0', '--seccomp-bpf', '-e', 'trace=write,pwrite64,fsync,fdatasync', '-o', traceFile],
  ...[program, ...args],
];

interface Written {
  from: number;
  to: number;
}

/** One call, or the begin or end of one that another thread interrupted: 12 pwrite64(3</path>, ""..., 10, 20) = 10 */
const CALL = /^(?<thread>\d+) +(?:<\.\.\. (?<resumed>\w+) resumed>|(?<name>\w+)\(\d+<(?<path>[^>]+)>)(?<rest>.*)$/;
const SIZES = /, (?<size>\d+)(?:, (?<offset>\d+))?(?:\)| <unfinished)/;

/**
 * Undoes what was written to the files after their last sync, as a power cut does: what was appended is cut off, what was overwritten is filled with
 * zeros. `sizes`: of the files before the program ran.
 */
export function cutPower(traceFile: string, isOf: (path: string) => boolean, sizes: ReadonlyMap<string, number>): void {
  const { unsynced, syncedEnds } = unsyncedRanges(readFileSync(traceFile, 'utf8'), isOf);
  for (const [path, ranges] of unsynced) undo(path, ranges, Math.max(sizes.get(path) ?? 0, syncedEnds.get(path) ?? 0));
}

function unsyncedRanges(trace: string, isOf: (path: string) => boolean) {
  const syncedEnds = new Map<string, number>();
  const unsynced = new Map<string, Written[]>();
  const ends = new Map<string, number>();
  /** What the sync that is in progress on a thread will have synced. */
  const syncing = new Map<string, { path: string; ranges: readonly Written[] }>();
  for (const line of trace.split('\n')) {
    const { thread = '', resumed, name, path = '', rest = '' } = CALL.exec(line)?.groups ?? {};
    if ((resumed ?? name)?.endsWith('sync')) {
      if (name !== undefined && isOf(path)) syncing.set(thread, { path, ranges: [...(unsynced.get(path) ?? [])] });
      if (!rest.endsWith('= 0')) continue;
      const done = syncing.get(thread);
      syncing.delete(thread);
      if (done) {
        syncedEnds.set(done.path, Math.max(syncedEnds.get(done.path) ?? 0, ...done.ranges.map(({ to }) => to)));
        unsynced.set(
          done.path,
          (unsynced.get(done.path) ?? []).filter((one) => !done.ranges.includes(one)),
        );
      }
    } else if (name !== undefined && isOf(path)) {
      const { size, offset } = SIZES.exec(rest)?.groups ?? {};
      const from = offset === undefined ? (ends.get(path) ?? 0) : Number(offset);
      const to = from + Number(size);
      ends.set(path, Math.max(to, ends.get(path) ?? 0));
      unsynced.set(path, [...(unsynced.get(path) ?? []), { from, to }]);
    }
  }
  return { unsynced, syncedEnds };
}

/** The bytes up to `syncedEnd` stay a part of the file, even if their content is lost. */
function undo(path: string, ranges: readonly Written[], syncedEnd: number): void {
  const file = openSync(path, 'r+');
  ftruncateSync(file, Math.min(fstatSync(file).size, syncedEnd));
  const { size } = fstatSync(file);
  for (const { from, to } of ranges)
    if (from < size) writeSync(file, Buffer.alloc(Math.min(to, size) - from), 0, Math.min(to, size) - from, from);
  closeSync(file);
}
