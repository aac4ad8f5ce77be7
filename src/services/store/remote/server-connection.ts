import type { AppContext } from '../../../lib/app-context.ts';
import { runWithoutSubject } from '../../../lib/log-subject.ts';
import { StoreError } from '../../tasks/store-error.ts';
import { type Backend, brokenStoreError, closedError, errorText, publicName, type StoreAddress } from '../backend.ts';
import type { Lease, LeaseServer, StoreTrouble } from '../lease.ts';

/** A server with stores, which share the connections to it. */
export interface Server {
  readonly connection: ServerConnection;
  /** The store of a partition, for reading only without its lease; partition 0 is also the store of a bot without partitions. */
  store(partition: number, lease?: Lease): Backend;
  leaseServer(partition: number): LeaseServer;
  /** Whether no bot has ever used the store of a partition. */
  isEmpty(partition: number): Promise<boolean>;
  /** The current lease holders of the first `count` partitions. */
  holders(count: number): Promise<ReadonlyMap<number, string>>;
  /** The partitions in which a bot has started. */
  usedPartitions(): Promise<readonly number[]>;
  /** Creates what every store needs. */
  prepare?(): Promise<void>;
  /** Says which settings of this server an operator should change, so that nothing confirmed is lost. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}

/** Sends requests to a server: each succeeds or fails within its time limit, and a failure is logged once. */
export class ServerConnection {
  readonly url: string;
  /** The URL without its password, for messages. */
  readonly name: string;
  readonly isRedis: boolean;
  /** The time limit of each request. */
  readonly limitMs: number;
  readonly #context: AppContext;
  #trouble: StoreTrouble | undefined;
  #hasResponded = false;
  #isClosed = false;

  constructor(address: StoreAddress, limitMs: number, context: AppContext) {
    this.url = address.url;
    this.name = publicName(address);
    this.isRedis = address.scheme.startsWith('redis');
    this.limitMs = limitMs;
    this.#context = context;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  /** The signal aborts when the time limit has passed. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw this.#recordFailure(closedError(this.name));
    const troubleBefore = this.#trouble;
    try {
      const result = await this.#runWithLimit(work);
      // A response to a request from before the trouble says nothing about its end.
      if (troubleBefore === this.#trouble) this.#recordResponse();
      return result;
    } catch (error) {
      if (error instanceof StoreError) throw this.#recordFailure(error);
      throw this.#recordFailure((this.isRedis ? redisFailure : postgresFailure)(error, this.name));
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #runWithLimit<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const timeout = Promise.withResolvers<never>();
    // Uses the machine's own clock: with a stopped test clock it would wait forever.
    using _timer = setTimeout(() => {
      timeout.reject(unreachable(this.name, `no response within ${this.limitMs / 1_000} s`));
      controller.abort();
    }, this.limitMs);
    return await Promise.race([work(controller.signal), timeout.promise]);
  }

  #recordResponse(): void {
    this.#hasResponded = true;
    if (!this.#trouble) return;
    const awayMs = this.#context.clock.now() - this.#trouble.since;
    this.#trouble = undefined;
    runWithoutSubject(() => this.#context.log.info({ store: this.name, awayMs }, 'The store responds again.'));
  }

  #recordFailure(error: StoreError): StoreError {
    if (error.kind === 'unreachable' && !this.#trouble && !this.#isClosed) {
      this.#trouble = { since: this.#context.clock.now(), reason: error.message };
      // A store that cannot be opened is reported by its opener.
      if (this.#hasResponded) runWithoutSubject(() => this.#context.log.warn({ store: this.name }, error.message));
    }
    return error;
  }
}

export const partitionName = (name: string, partition: number): string =>
  partition === 0 ? name : `${name} (partition ${partition})`;

function unreachable(name: string, reason: string, cause?: unknown): StoreError {
  const message = `The store ${name} cannot be reached (${reason}). Check that its server is running and accepts connections from this machine.`;
  return new StoreError('unreachable', message, cause);
}

/** An error reply starts with a code in capitals: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const ERROR_CODE = /^[A-Z]+\b/;

function redisFailure(error: unknown, name: string): StoreError {
  const reason = errorText(error);
  switch (ERROR_CODE.exec(reason)?.[0]) {
    case 'WRONGPASS':
    case 'NOAUTH':
    case 'NOPERM':
      return new StoreError(
        'denied',
        `The store ${name} denied access. Check the user and password in its address, and the permissions of that user.`,
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
      return brokenStoreError(name, error);
    default:
      // Broken sockets, a server that is loading or has become a replica: all of these are temporary.
      return unreachable(name, reason, error);
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two letters are the class.
const DISK_FULL = '53100';
const READ_ONLY = '25006';
const NO_SUCH_DATABASE = '3D000';
const NOT_ALLOWED = '42501';
/** Connection failures, too many logins, exhausted resources, and a server that is shutting down: all of these are temporary. */
const TEMPORARY_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58']);

function postgresFailure(error: unknown, name: string): StoreError {
  const reason = errorText(error);
  const code = sqlState(error);
  // Without a code from the server, the server was not reached.
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
      `The store ${name} denied access (${reason}). Check the user, password and database in its address, and that the user can create tables.`,
      error,
    );
  if (TEMPORARY_CLASSES.has(code.slice(0, 2))) return unreachable(name, reason, error);
  return brokenStoreError(name, error);
}

function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return String(error.code);
}
