import { addAbortListener } from 'node:events';
import { pause } from '../../lib/clock.ts';
import { safeName } from '../../lib/loggable.ts';
import { errorInEvent } from './error-responses.ts';
import { GatewayError, waitBeforeRetry } from './errors.ts';
import { asText } from './places.ts';
import { type ConnectionListener, connectionError, type RealtimeConnection } from './realtime/connection.ts';
import type { Connector, SessionContext } from './realtime/connector.ts';
import { UtteranceSender } from './realtime/utterance-sender.ts';
import type { RealtimeFrame } from './realtime/wire.ts';
import { RealtimeAnswer } from './realtime-answer.ts';
import { type Utterance, utteranceSchema } from './realtime-events.ts';
import { validate } from './schemas.ts';

/** How many dead connections in a row are replaced before the utterance fails. */
const MAX_CONNECTIONS = 3;

/** A lost connection is reopened at a random moment within this time, because many may be lost together. */
const REOPEN_WITHIN_MS = 500;

/** Gateways end a session after an hour, so it is replaced before that. */
const RENEW_AFTER_MS = 55 * 60_000;
const EXPIRED_CODE = 'session_expired';

/**
 * A conversation with a model, which survives lost connections. Each utterance is answered before the next one. The connection is replaced only while
 * nothing is being said.
 */
export class RealtimeSession implements ConnectionListener {
  readonly #context: SessionContext;
  readonly #connector: Connector;
  readonly #onClosed: () => void;
  readonly #closing = new AbortController();
  #id = '';
  #connection: RealtimeConnection | undefined;
  #connecting: Promise<void> | undefined;
  /** The utterance that is being sent, or its answer; it receives all events. */
  #current: ConnectionListener | undefined;
  #isBusy = false;
  #isRenewalDue = false;
  /** A lost connection is reopened once for each utterance, because the gateway may drop every connection. After that, the next utterance reconnects. */
  #mayReopen = false;
  /** Stops the timer that renews the connection, or reopens a lost one. */
  #stopTimer: () => void = () => undefined;

  constructor(context: SessionContext, connector: Connector, onClosed: () => void) {
    this.#context = context;
    this.#connector = connector;
    this.#onClosed = onClosed;
  }

  /** The gateway's id of the session when it was first opened. */
  get id(): string {
    return this.#id;
  }

  /** Opens the first connection; a refusal is thrown. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#acquire(signal);
      this.#release();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Sends an utterance, reconnecting if necessary. Resolves as soon as the model starts to answer. If the gateway may
   * have received the utterance, the error says that it may have taken effect. There is only one answer at a time, so
   * interrupt the previous one first.
   */
  async say(utterance: Utterance, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<RealtimeAnswer> {
    const validUtterance = validate(utteranceSchema, utterance);
    if (this.#isBusy) {
      throw new GatewayError('The last answer has not ended: interrupt it first.', { kind: 'invalid', code: 'busy' });
    }
    this.#isBusy = true;
    try {
      return await this.#sendUtterance(validUtterance, signal);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#dropConnection();
    this.#current?.onLost(connectionError('closed'));
    this.#onClosed();
    await Promise.allSettled([this.#connecting]);
  }

  onFrame(frame: RealtimeFrame): void {
    if (frame.type === 'error') this.#logError(errorInEvent(frame.body));
    this.#current?.onFrame(frame);
  }

  onLost(error: GatewayError): void {
    this.#context.http.parts.log.info({ err: error }, 'Live connection to the gateway lost.');
    this.#dropConnection();
    this.#current?.onLost(error);
    if (!this.#isBusy) this.#reopen();
  }

  async #sendUtterance(utterance: Utterance, signal: AbortSignal | undefined): Promise<RealtimeAnswer> {
    for (let attempt = 1; attempt <= MAX_CONNECTIONS; attempt++) {
      const connection = await this.#acquire(signal);
      const turns = connection.isRestored ? [] : await this.#context.history();
      const history = turns.filter(({ text }) => text.trim() !== '');
      const sender = new UtteranceSender(this.#context, connection, { utterance, history }, (id, frames) =>
        this.#startAnswer(id, connection, utterance, frames),
      );
      this.#current = sender;
      const answer = await sender.run(signal);
      if (answer) return answer;
    }
    throw connectionError('cut');
  }

  #startAnswer(
    id: string,
    connection: RealtimeConnection,
    { audio }: Utterance,
    frames: readonly RealtimeFrame[],
  ): RealtimeAnswer {
    const isTranscribed = audio !== undefined && audio.length > 0 && this.#connector.isTranscribed;
    const onEnd = (): void => this.#release();
    const answer = new RealtimeAnswer(this.#context, { id, connection, isTranscribed, onEnd });
    this.#current = answer;
    for (const frame of frames) answer.onFrame(frame);
    return answer;
  }

  /** Nothing is being said any longer, so a renewal or reconnection that became due in the meantime is performed. */
  #release(): void {
    this.#current = undefined;
    this.#isBusy = false;
    if (this.#isRenewalDue) this.#dropConnection();
    this.#reopen();
  }

  /** Returns an open connection, which is replaced first if necessary. The connection is not replaced until `#release` is called. */
  async #acquire(signal: AbortSignal | undefined): Promise<RealtimeConnection> {
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
    using _listener = signal && addAbortListener(signal, () => aborted.resolve());
    await Promise.race([this.#connecting, aborted.promise]);
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
    if (!this.#isBusy) this.#release();
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
