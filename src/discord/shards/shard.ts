import {
  CloseCodes,
  type FetchingStrategyOptions,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord-api-types/v10';
import { pause, withTimeout } from '../../lib/clock.ts';
import type { ClusterContext } from '../../services/cluster/claim.ts';
import type { Lease } from '../../services/store/lease.ts';
import { FATAL_CODES } from '../outbox/connection.ts';
import { HandOver, type PassOn } from './hand-over.ts';
import type { IdentifyTurns } from './identify-turns.ts';
import { Session } from './session.ts';

/** The shortest time between two writes of a session's progress. */
const MIN_STORE_INTERVAL_MS = 1_000;
/** A shard that is released waits at most this long for its socket to close, and then at most this long for its hand-overs. */
const STOP_TIMEOUT_MS = 1_000;
/** The time between two attempts to read the session from a store that does not respond. */
const READ_RETRY_MS = 500;
/** The connection broke, or could not be opened: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const BROKEN_CONNECTION = 1006;
/** The library gives up a session at the first connection that fails, so a short network failure would cost every shard an identify. */
const MAX_CONNECTS_WITH_SESSION = 20;

/** What the shards of a process share. */
export interface ShardContext extends ClusterContext {
  options: FetchingStrategyOptions;
  turns: IdentifyTurns;
  onDispatch: PassOn;
  /** Called when Discord refuses to serve this bot. */
  onRefused(code: number): void;
}

/** The library has no way to stop a shard that is about to connect, except by making it wait forever. */
const waitForever = (): Promise<never> => new Promise(() => undefined);

/** One shard of this process, from its claim until it is released or lost. */
export class Shard {
  readonly id: number;
  readonly #context: ShardContext;
  readonly #claim: Lease;
  readonly #session: Session;
  readonly #handOver: HandOver;
  readonly #socket: WebSocketShard;
  readonly #stop = new AbortController();
  #writing: Promise<void> = Promise.resolve();
  #cancelWrite: (() => void) | undefined;
  /** Undefined from a HELLO until the next close. */
  #lastCloseCode: number | undefined;
  #failedConnects = 0;

  constructor(id: number, claim: Lease, context: ShardContext) {
    const { options, turns, leaseMs, onDispatch } = context;
    this.id = id;
    this.#context = context;
    this.#claim = claim;
    this.#session = new Session(id, options, context);
    // If the store does not respond for this long, the claim is lost anyway, and the next process gets the events that were not handed over.
    this.#handOver = new HandOver(id, context, onDispatch, 2 * leaseMs, this.#stop.signal);
    this.#socket = new WebSocketShard(
      {
        options,
        retrieveSessionInfo: () => this.#retrieve(),
        updateSessionInfo: (_, info) => this.#update(info),
        waitForIdentify: (_, signal) => this.#waitForIdentify(turns, signal),
      },
      id,
    );
    this.#listen();
  }

  get isReady(): boolean {
    // The library's status lags behind a close.
    const isOpen = this.#lastCloseCode === undefined && !this.#stop.signal.aborted;
    return isOpen && this.#socket.status === WebSocketShardStatus.Ready;
  }

  async connect(): Promise<void> {
    // The library reports an error as an event as well, and continues to connect.
    await Promise.allSettled([this.#socket.connect()]);
  }

  /** Disconnects, so that another process can resume the session. */
  async release(): Promise<void> {
    await this.#disconnect();
    await this.#handOver.settle(STOP_TIMEOUT_MS);
    this.#storeNow();
    await this.#writing;
    await this.#claim.release();
  }

  /** Disconnects without passing on or storing anything more, because another process may have the shard. */
  async abandon(): Promise<void> {
    await this.#disconnect();
    await this.#writing;
  }

  async #disconnect(): Promise<void> {
    this.#stop.abort();
    this.#cancelWrite?.();
    // Discord ends the session when it is closed with 1000 or 1001.
    const closed = this.#socket.destroy({ code: CloseCodes.Resuming });
    await withTimeout(this.#context.clock, STOP_TIMEOUT_MS, closed);
  }

  #listen(): void {
    const { id } = this;
    const { log } = this.#context;
    this.#socket.on(WebSocketShardEvents.Hello, () => {
      this.#lastCloseCode = undefined;
    });
    this.#socket.on(WebSocketShardEvents.Ready, () => {
      log.info({ shard: id }, 'A shard has begun a session.');
      this.#failedConnects = 0;
    });
    this.#socket.on(WebSocketShardEvents.Resumed, () => {
      log.info({ shard: id }, 'A shard has resumed its session.');
      this.#failedConnects = 0;
    });
    this.#socket.on(WebSocketShardEvents.Error, ({ error }) =>
      log.warn({ shard: id, err: error }, 'The connection of a shard failed.'),
    );
    this.#socket.on(WebSocketShardEvents.Closed, ({ code }) => this.#noteClose(code));
    this.#socket.on(WebSocketShardEvents.Dispatch, ({ data }) => void this.#handOverDispatch(data));
  }

  #noteClose(code: number): void {
    if (this.#stop.signal.aborted) return;
    const { log, onRefused } = this.#context;
    this.#lastCloseCode = code;
    log.info({ shard: this.id, code }, 'The connection of a shard was closed.');
    if (FATAL_CODES.has(code)) onRefused(code);
  }

  async #handOverDispatch(packet: GatewayDispatchPayload): Promise<void> {
    if (this.#stop.signal.aborted || !this.#claim.isHeld) return;
    const { progress } = this.#session;
    const { Ready, Resumed } = GatewayDispatchEvents;
    if (packet.t === Ready || packet.t === Resumed) progress.skip(packet.s);
    else await this.#handOver.deliver(packet, progress);
    this.#storeSoon();
  }

  async #retrieve(): Promise<SessionInfo | null> {
    const info = this.#session.info === undefined ? await this.#load() : this.#session.info;
    // After the claim is lost, connecting would take the session away from the process that has resumed it.
    return this.#claim.isHeld && !this.#stop.signal.aborted ? info : waitForever();
  }

  async #load(): Promise<SessionInfo | null> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        return await this.#session.load();
      } catch (error) {
        this.#context.log.warn({ shard: this.id, err: error }, 'Could not read the session of a shard; retrying.');
      }
      await pause(this.#context.clock, READ_RETRY_MS, signal);
    }
    return null;
  }

  #update(info: SessionInfo | null): void {
    if (this.#stop.signal.aborted) return;
    if (info) {
      if (this.#session.update(info)) this.#storeNow();
      return;
    }
    const isNetworkFailure = this.#lastCloseCode === BROKEN_CONNECTION;
    if (isNetworkFailure && this.#failedConnects < MAX_CONNECTS_WITH_SESSION) {
      this.#failedConnects += 1;
      return;
    }
    if (this.#session.info) this.#context.log.warn({ shard: this.id }, 'A shard has lost its session.');
    this.#session.drop();
    this.#storeSoon();
  }

  async #waitForIdentify(turns: IdentifyTurns, signal: AbortSignal): Promise<void> {
    try {
      await turns.waitForIdentify(this.id, AbortSignal.any([signal, this.#stop.signal]));
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
    if (this.#stop.signal.aborted) await waitForever();
  }

  #storeSoon(): void {
    if (this.#stop.signal.aborted) return;
    this.#cancelWrite ??= this.#context.clock.after(MIN_STORE_INTERVAL_MS, () => this.#storeNow());
  }

  #storeNow(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#writing = this.#storeAfter(this.#writing);
  }

  async #storeAfter(previous: Promise<void>): Promise<void> {
    await previous;
    if (!this.#claim.isHeld) return;
    try {
      if (!(await this.#session.store())) this.#claim.lose();
    } catch (error) {
      this.#context.log.warn({ shard: this.id, err: error }, 'Could not store the session of a shard.');
      this.#storeSoon();
    }
  }
}
