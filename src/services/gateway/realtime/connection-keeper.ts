import { pause } from '../../../lib/clock.ts';
import { safeName } from '../../../lib/loggable.ts';
import { errorInEvent } from '../error-responses.ts';
import { GatewayError, waitBeforeRetry } from '../errors.ts';
import { asText } from '../read/places.ts';
import { type ConnectionListener, connectionError, type RealtimeConnection } from './connection.ts';
import type { Connector, SessionContext } from './connector.ts';
import type { RealtimeFrame } from './wire.ts';

/** Automatic reconnection attempts; after that, the next utterance reconnects. */
const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** After a connection has lasted this long, attempts are counted from zero again. */
const STABLE_AFTER_MS = 60_000;

/** Gateways end a session after an hour, so it is replaced before that. */
const RENEW_AFTER_MS = 55 * 60_000;
const EXPIRED_CODE = 'session_expired';

/** Keeps one connection open, and replaces it only while nothing is being said. */
export class ConnectionKeeper implements ConnectionListener {
  readonly #context: SessionContext;
  readonly #connector: Connector;
  readonly #listener: ConnectionListener;
  readonly #closing = new AbortController();
  /** Reconnection attempts since the last stable connection. */
  #attempts = 0;
  #id = '';
  #connection: RealtimeConnection | undefined;
  #connectedAt = 0;
  #connecting: Promise<void> | undefined;
  #reconnecting: { stop: AbortController; done: Promise<void> } | undefined;
  #isBusy = false;
  #isRenewalDue = false;
  #stopRenewal: () => void = () => undefined;

  constructor(context: SessionContext, connector: Connector, listener: ConnectionListener) {
    this.#context = context;
    this.#connector = connector;
    this.#listener = listener;
  }

  get id(): string {
    return this.#id;
  }

  /** Returns an open connection, which is replaced first if necessary. The connection is not replaced until `release` is called. */
  async acquire(signal: AbortSignal | undefined): Promise<RealtimeConnection> {
    const { http } = this.#context;
    const { attempts } = http.limits;
    this.#isBusy = true;
    this.#reconnecting?.stop.abort();
    for (let attempt = 1; ; attempt++) {
      this.#throwIfClosed(signal);
      if (this.#connection?.isOpen) return this.#connection;
      try {
        await this.#ensureConnected(signal);
        if (!this.#connection?.isOpen) throw connectionError('cut');
      } catch (error) {
        this.#throwIfClosed(signal);
        if (!(error instanceof GatewayError) || attempt >= attempts) throw error;
        const wait = waitBeforeRetry(error, attempt, http.parts.random);
        if (wait === undefined) throw error;
        await pause(http.parts.clock, wait, AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]));
      }
    }
  }

  /** Call this when nothing is being said any longer. Performs a renewal or reconnection that became due in the meantime. */
  release(): void {
    this.#isBusy = false;
    if (this.#isRenewalDue) this.#dropConnection();
    this.#startReconnecting();
  }

  onFrame(frame: RealtimeFrame): void {
    if (frame.type === 'error') this.#logError(errorInEvent(frame.body));
    this.#listener.onFrame(frame);
  }

  onLost(error: GatewayError): void {
    this.#context.http.parts.log.info({ err: error }, 'Live connection to the gateway lost.');
    this.#dropConnection();
    this.#listener.onLost(error);
    if (!this.#isBusy) this.#startReconnecting();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#dropConnection();
    this.#reconnecting?.stop.abort();
    await this.#reconnecting?.done;
  }

  #throwIfClosed(signal: AbortSignal | undefined): void {
    if (this.#closing.signal.aborted) throw connectionError('closed');
    if (signal?.aborted) throw connectionError('aborted', signal.reason);
  }

  /** All callers share one attempt. A caller that aborts does not wait for it. */
  async #ensureConnected(signal: AbortSignal | undefined): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    const aborted = Promise.withResolvers<void>();
    const onAbort = (): void => aborted.resolve();
    signal?.addEventListener('abort', onAbort);
    try {
      await Promise.race([this.#connecting, aborted.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    this.#throwIfClosed(signal);
  }

  async #connect(): Promise<void> {
    const { clock } = this.#context.http.parts;
    this.#dropConnection();
    const { connection, id } = await this.#connector.connect(this.#closing.signal);
    connection.setListener(this);
    this.#id ||= id;
    this.#connection = connection;
    this.#connectedAt = clock.now();
    this.#isRenewalDue = false;
    this.#stopRenewal = clock.after(RENEW_AFTER_MS, () => this.#expire());
  }

  #expire(): void {
    this.#isRenewalDue = true;
    if (!this.#isBusy) this.release();
  }

  #logError(error: Record<string, unknown>): void {
    const logFields = { code: safeName(error.code), type: safeName(error.type), param: safeName(error.param) };
    this.#context.http.parts.log.info(logFields, 'The gateway reported an error in a live conversation.');
    if (asText(error.code) === EXPIRED_CODE) this.#expire();
  }

  #dropConnection(): void {
    if (!this.#connection) return;
    if (this.#context.http.parts.clock.now() - this.#connectedAt >= STABLE_AFTER_MS) this.#attempts = 0;
    this.#stopRenewal();
    this.#connection.close();
    this.#connection = undefined;
  }

  #startReconnecting(): void {
    if (this.#reconnecting || this.#closing.signal.aborted || this.#connection?.isOpen) return;
    const stop = new AbortController();
    const done = this.#reconnect(stop.signal).finally(() => {
      this.#reconnecting = undefined;
    });
    this.#reconnecting = { stop, done };
  }

  async #reconnect(stop: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#context.http.parts;
    while (!this.#connection?.isOpen && this.#attempts < MAX_ATTEMPTS) {
      // Random, so that connections that were lost together do not reconnect at the same moment.
      const wait = random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#attempts);
      this.#attempts += 1;
      await pause(clock, wait, stop);
      if (stop.aborted) return;
      try {
        await this.#ensureConnected(stop);
      } catch (error) {
        if (stop.aborted) return;
        const retryMs = error instanceof GatewayError ? waitBeforeRetry(error, 1, () => 0) : undefined;
        log.info({ err: error }, 'Reconnecting to the gateway failed.');
        if (retryMs === undefined) return;
      }
    }
  }
}
