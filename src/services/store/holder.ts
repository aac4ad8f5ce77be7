import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Identifies a process exactly, so that another one on the same machine can tell whether it has ended: the boot, the namespaces in which its id and start
 * time are valid, its id, and when it started.
 */
interface ProcessIdentity {
  boot: string;
  namespaces: string;
  pid: number;
  startTime: string;
}

const PART_COUNT = 5;

/** A name for a holder of a lease: unique, and it identifies this process if the system provides its id and start time. */
export function nameHolder(): string {
  const identity = ownIdentity();
  return [
    randomUUID(),
    ...(identity ? [identity.boot, identity.namespaces, String(identity.pid), identity.startTime] : []),
  ].join(' ');
}

/** A name for the holder of one lease, which is never used twice and contains the name of its process if there is one. */
export function nameLease(process: string | undefined): string {
  if (process === undefined) return nameHolder();
  const [id, ...identity] = process.split(' ');
  return [`${id}/${randomUUID()}`, ...identity].join(' ');
}

/** The name of the process that holds a lease, as it was passed to `nameLease`. */
export const processOf = (lease: string): string => lease.replace(/^([^ /]*)\/[^ ]*/, '$1');

/** Whether the process behind a holder's name has certainly ended. False in case of doubt, and for processes on another machine or in another container. */
export function hasCertainlyEnded(holder: string): boolean {
  const identity = identityIn(holder);
  const own = identity && ownIdentity();
  if (!own || identity.boot !== own.boot || identity.namespaces !== own.namespaces) return false;
  if (!isRunning(identity.pid)) return true;
  const startTime = startTimeOf(identity.pid);
  return startTime !== undefined && startTime !== identity.startTime;
}

/** The id of the process behind a holder's name; undefined if the name does not contain it. */
export const pidOf = (holder: string): number | undefined => identityIn(holder)?.pid;

function identityIn(holder: string): ProcessIdentity | undefined {
  const parts = holder.split(' ');
  const [, boot = '', namespaces = '', pid = '', startTime = ''] = parts;
  return parts.length === PART_COUNT && /^[1-9]\d{0,9}$/.test(pid)
    ? { boot, namespaces, pid: Number(pid), startTime }
    : undefined;
}

/** Undefined on systems that do not provide it. */
function ownIdentity(): ProcessIdentity | undefined {
  const startTime = startTimeOf(process.pid);
  const boot = readIfPossible(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pids = readIfPossible(() => readlinkSync('/proc/self/ns/pid'));
  // Older systems have no time namespaces.
  const times = readIfPossible(() => readlinkSync('/proc/self/ns/time')) ?? '';
  if (startTime === undefined || boot === undefined || pids === undefined) return undefined;
  return { boot, namespaces: `${pids},${times}`, pid: process.pid, startTime };
}

/** A process's start time in ticks since the boot. The command before it may contain any character, including parentheses. */
function startTimeOf(pid: number): string | undefined {
  const stat = readIfPossible(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** Also finds processes of other users, which may be hidden in /proc. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function readIfPossible(work: () => string): string | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
