import { pause } from '../../../lib/clock.ts';
import { safeName } from '../../../lib/loggable.ts';
import { errorInEvent } from '../error-responses.ts';
import { GatewayError, waitBeforeRetry } from '../errors.ts';
import { asText } from '../places.ts';
import { type ConnectionListener, connectionError, type RealtimeConnection } from './connection.ts';
import type { Connector, SessionContext } from './connector.ts';
import type { RealtimeFrame } from './wire.ts';

/** A lost connection is reopened at a random moment within this time, because many may be lost together. */
const REOPEN_WITHIN_MS = 500;

/** Gateways end a session after an hour, so it is replaced before that. */
const RENEW_AFTER_MS = 55 * 60_000;
const EXPIRED_CODE = 'session_expired';

/** Keeps one connection open, and replaces it only while nothing is being said. */
export class ConnectionKeeper implements ConnectionListener {
  readonly #context: SessionContext;
  readonly #connector: Connector;
  readonly #listener: ConnectionListener;
  readonly #closing = new AbortController();
  #id = '';
  #connection: RealtimeConnection | undefined;
  #connecting: Promise<void> | undefined;
  #isBusy = false;
  #isRenewalDue = false;
  /** A lost connection is reopened once for each utterance, because the gateway may drop every connection. After that, the next utterance reconnects. */
  #mayReopen = false;
  /** Stops the timer that renews the connection, or reopens a lost one. */
  #stopTimer: () => void = () => undefined;

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
    this.#mayReopen = true;
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
    this.#reopen();
  }

  onFrame(frame: RealtimeFrame): void {
    if (frame.type === 'error') this.#logError(errorInEvent(frame.body));
    this.#listener.onFrame(frame);
  }

  onLost(error: GatewayError): void {
    this.#context.http.parts.log.info({ err: error }, 'Live connection to the gateway lost.');
    this.#dropConnection();
    this.#listener.onLost(error);
    if (!this.#isBusy) this.#reopen();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#dropConnection();
    await Promise.allSettled([this.#connecting]);
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
    this.#dropConnection();
    const { connection, id } = await this.#connector.connect(this.#closing.signal);
    connection.setListener(this);
    this.#id ||= id;
    this.#connection = connection;
    this.#isRenewalDue = false;
    this.#stopTimer = this.#context.http.parts.clock.after(RENEW_AFTER_MS, () => this.#expire());
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
    this.#stopTimer();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #reopen(): void {
    if (!this.#mayReopen || this.#closing.signal.aborted || this.#connection?.isOpen) return;
    this.#mayReopen = false;
    const { clock, log, random } = this.#context.http.parts;
    this.#stopTimer = clock.after(random() * REOPEN_WITHIN_MS, () => {
      this.#ensureConnected(undefined).catch((error: unknown) =>
        log.info({ err: error }, 'Reconnecting to the gateway failed.'),
      );
    });
  }
}
