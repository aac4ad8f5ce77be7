import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { type Backend, closed, notWorking, reasonOf, StoreError } from '../backend.ts';
import type { LeaseDesk, StoreTrouble } from '../lease.ts';

interface LineParts {
  /** The store, for people. */
  name: string;
  /** What the server or its library threw, told by its code. */
  explained(error: unknown, name: string): StoreError;
  /** Nothing waits longer for the server. */
  limitMs: number;
  clock: Clock;
  log: Log;
}

/** What a server is opened with. */
export interface ServerParts {
  url: string;
  /** The address without its password. */
  name: string;
  line: Line;
  /** Nothing waits longer for the server. */
  limitMs: number;
  ownership: Ownership;
}

/** Whose the store is, for those who write. */
export interface Ownership {
  /** The name under which our lease stands at the server; throws where it is over. */
  holder(): string;
  /** The server says that the lease is no longer ours. */
  refused(): StoreError;
}

/** A backend on a server of its own. */
export interface Server extends Backend {
  readonly desk: LeaseDesk;
  /** Whether no bot was ever here. */
  isEmpty(): Promise<boolean>;
  /** Makes what has to be there before the first row. */
  prepare?(): Promise<void>;
  /** What an operator should know of this server before they rely on it. */
  warn?(log: Log): Promise<void>;
}

/** The way to a server: what is asked comes back or fails within its time, and whoever wants to know hears how it is. */
export class Line {
  readonly #parts: LineParts;
  #trouble: StoreTrouble | undefined;
  #failure: StoreError | undefined;
  #isClosed = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /** The signal says that nobody waits for the answer any more. */
  async ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { name, explained } = this.#parts;
    if (this.#isClosed) throw this.#failed(closed(name));
    try {
      const answer = await this.#inTime(work);
      this.#answered();
      return answer;
    } catch (error) {
      throw this.#failed(error instanceof StoreError ? error : explained(error, name));
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { name, limitMs } = this.#parts;
    const controller = new AbortController();
    const late = Promise.withResolvers<never>();
    // By the machine's own clock: a test whose clock stands still must not wait for ever.
    const timer = setTimeout(() => {
      const reason = `no response within ${limitMs / 1_000} s`;
      late.reject(unreachable(name, reason));
      controller.abort();
    }, limitMs);
    try {
      return await Promise.race([work(controller.signal), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #answered(): void {
    const { clock, log, name } = this.#parts;
    if (!this.#trouble) return;
    const awayMs = clock.now() - this.#trouble.since;
    this.#trouble = undefined;
    log.info({ store: name, awayMs }, 'The store answers again.');
  }

  #failed(error: StoreError): StoreError {
    const { clock, log, name } = this.#parts;
    this.#failure = error;
    if (error.kind === 'unreachable' && !this.#trouble && !this.#isClosed) {
      this.#trouble = { since: clock.now(), reason: error.message };
      log.warn({ store: name, err: error.cause }, error.message);
    }
    return error;
  }
}

function unreachable(name: string, reason: string, cause?: unknown): StoreError {
  const message = `The store ${name} cannot be reached (${reason}). Check that its server is running and accepts connections from this machine.`;
  return new StoreError('unreachable', message, cause);
}

/** An error reply begins with a word in capitals that says what is wrong: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const CODE = /^[A-Z]+\b/;

/** What the server of a Redis, or the way to it, threw. */
export function redisFailure(error: unknown, name: string): StoreError {
  const reason = reasonOf(error);
  switch (CODE.exec(reason)?.[0]) {
    case 'WRONGPASS':
    case 'NOAUTH':
    case 'NOPERM':
      return new StoreError(
        'denied',
        `The store ${name} denied access. Check the user and password in STORE_URL, and the permissions of that user.`,
        error,
      );
    case 'OOM':
      return new StoreError(
        'full',
        `The store ${name} is out of memory. Increase maxmemory on its server; nothing stored so far is lost.`,
        error,
      );
    case 'WRONGTYPE':
    case 'ERR':
    case 'MISCONF':
      return notWorking(name, error);
    default:
      // Sockets that break, a server that is loading or has become a replica: all of that passes.
      return unreachable(name, reason, error);
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two letters are the class.
const DISK_FULL = '53100';
const READ_ONLY = '25006';
const NO_SUCH_DATABASE = '3D000';
const NOT_ALLOWED = '42501';
/** The connection, the login that has to wait, what is used up, and the server going down: all of that passes. */
const PASSING: ReadonlySet<string> = new Set(['08', '53', '57', '58']);

/** What a Postgres, or the way to it, threw. */
export function postgresFailure(error: unknown, name: string): StoreError {
  const reason = reasonOf(error);
  const code = sqlState(error);
  // Without a code of the server's it never got there.
  if (code === undefined || code === READ_ONLY) return unreachable(name, reason, error);
  if (code === DISK_FULL)
    return new StoreError(
      'full',
      `The disk of the store ${name} is full. Free some space on its server; nothing stored so far is lost.`,
      error,
    );
  if (code.startsWith('28') || code === NO_SUCH_DATABASE || code === NOT_ALLOWED)
    return new StoreError(
      'denied',
      `The store ${name} denied access (${reason}). Check the user, password and database in STORE_URL, and that the user can create tables.`,
      error,
    );
  if (PASSING.has(code.slice(0, 2))) return unreachable(name, reason, error);
  return notWorking(name, error);
}

function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return String(error.code);
}
