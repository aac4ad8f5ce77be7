import { errorInEvent, statusOfError } from './error-responses.ts';
import { GatewayError, responseTooLargeError, withTakenEffect } from './errors.ts';
import { asText } from './places.ts';
import { type ConnectionListener, connectionError, type RealtimeConnection } from './realtime/connection.ts';
import { ConnectionKeeper } from './realtime/connection-keeper.ts';
import type { Connector, SessionContext } from './realtime/connector.ts';
import { causingEventId, type RealtimeFrame, responseIdOf, turnItem, utteranceEvents } from './realtime/wire.ts';
import { RealtimeAnswer } from './realtime-answer.ts';
import { type EarlierTurn, type Utterance, utteranceSchema } from './realtime-events.ts';
import { validate } from './schemas.ts';

/** Events about the utterance, before it is answered. */
const UTTERANCE_EVENTS = /^(?:input_audio_buffer\.committed$|conversation\.item\.input_audio_transcription\.)/;

/** A response may fail before it is announced. */
const START_EVENTS = new Set(['response.created', 'response.done']);

/** Starts the answer with its first events. Synchronous, because further events may have arrived already. */
type StartAnswer = (id: string, frames: readonly RealtimeFrame[]) => RealtimeAnswer;

/**
 * Sends an utterance and waits until the model starts to answer. Nothing has started at the gateway before an answer is
 * requested; after that, the outcome is unknown until the gateway responds.
 */
class UtteranceSender implements ConnectionListener {
  readonly #context: SessionContext;
  readonly #utterance: Utterance;
  /** The conversation so far, if the connection has to be restored. */
  readonly #history: readonly EarlierTurn[];
  readonly #startAnswer: StartAnswer;
  readonly #connection: RealtimeConnection;
  readonly #sentIds = new Set<string>();
  readonly #earlyFrames: RealtimeFrame[] = [];
  readonly #outcome = Promise.withResolvers<RealtimeAnswer | undefined>();
  #requestId: string | undefined;
  #size = 0;
  #isSettled = false;

  constructor(
    context: SessionContext,
    connection: RealtimeConnection,
    { utterance, history }: { utterance: Utterance; history: readonly EarlierTurn[] },
    startAnswer: StartAnswer,
  ) {
    this.#context = context;
    this.#connection = connection;
    this.#utterance = utterance;
    this.#history = history;
    this.#startAnswer = startAnswer;
  }

  /** Undefined if the connection was lost before anything had started; another one can be tried then. */
  async run(signal: AbortSignal | undefined): Promise<RealtimeAnswer | undefined> {
    const onAbort = (): void =>
      this.#fail(withTakenEffect(connectionError('aborted', signal?.reason), this.#isRequested));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    const sending = this.#send().catch((error: GatewayError) => this.onLost(error));
    try {
      return await this.#outcome.promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      await sending;
    }
  }

  onFrame(frame: RealtimeFrame): void {
    if (this.#isSettled) return;
    this.#size += frame.size;
    const max = this.#context.http.limits.responseBytes;
    if (this.#size > max) this.#fail(responseTooLargeError(max, { mayHaveTakenEffect: this.#isRequested }));
    else if (frame.type === 'error') this.#readError(errorInEvent(frame.body));
    else if (UTTERANCE_EVENTS.test(frame.type)) this.#earlyFrames.push(frame);
    else if (START_EVENTS.has(frame.type)) this.#start(frame);
  }

  onLost(error: GatewayError): void {
    if (this.#isRequested) this.#fail(withTakenEffect(error, true));
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#connection.close();
    this.#outcome.resolve(undefined);
  }

  get #isRequested(): boolean {
    return this.#requestId !== undefined;
  }

  async #send(): Promise<void> {
    const { eventIds, http } = this.#context;
    await this.#restore();
    for (const event of utteranceEvents(this.#utterance, eventIds)) {
      if (this.#isSettled) return;
      this.#sentIds.add(event.event_id);
      await this.#connection.send(event);
    }
    await this.#connection.assertAlive();
    if (this.#isSettled) return;
    const request = eventIds.createEvent('response.create');
    this.#sentIds.add(request.event_id);
    this.#requestId = request.event_id;
    const timeout = connectionError('silent');
    const cancel = http.parts.clock.after(http.limits.submitMs, () => this.#fail(withTakenEffect(timeout, true)));
    await this.#connection.send(request);
    await Promise.allSettled([this.#outcome.promise]);
    cancel();
  }

  /** Sends the conversation so far, for which an error does not count as a refusal of the utterance. */
  async #restore(): Promise<void> {
    for (const turn of this.#history) {
      if (this.#isSettled) return;
      const item = turnItem(turn, this.#connection.dialect);
      await this.#connection.send(this.#context.eventIds.createEvent('conversation.item.create', { item }));
    }
    this.#connection.isRestored = true;
  }

  #start(frame: RealtimeFrame): void {
    if (this.#requestId === undefined) return;
    const id = responseIdOf(frame.body) ?? this.#requestId;
    if (this.#context.endedResponses.has(id)) return;
    this.#isSettled = true;
    this.#outcome.resolve(this.#startAnswer(id, [...this.#earlyFrames, frame]));
  }

  #readError(error: Record<string, unknown>): void {
    const eventId = causingEventId(error);
    if (eventId !== undefined && !this.#sentIds.has(eventId)) return;
    // An error without an event id can only be about the request.
    if (eventId === undefined && !this.#isRequested) return;
    // The gateway then closes the connection, which `onLost` handles.
    if (asText(error.code) === 'session_expired') return;
    const refusal = this.#context.http.parseError({ error }, statusOfError(error));
    this.#fail(eventId === undefined ? refusal : withTakenEffect(refusal, false));
  }

  /** Closes the connection, because the gateway's conversation contains an utterance without an answer. */
  #fail(error: GatewayError): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#connection.close();
    this.#outcome.reject(error);
  }
}

/** How many dead connections in a row are replaced before the utterance fails. */
const MAX_CONNECTIONS = 3;

/** A conversation with a model, which survives lost connections. Each utterance is answered before the next one. */
export class RealtimeSession {
  readonly #context: SessionContext;
  readonly #connector: Connector;
  readonly #connections: ConnectionKeeper;
  readonly #onClosed: () => void;
  /** The utterance that is being sent, or its answer; it receives all events. */
  #current: ConnectionListener | undefined;
  #isBusy = false;

  constructor(context: SessionContext, connector: Connector, onClosed: () => void) {
    this.#context = context;
    this.#connector = connector;
    this.#onClosed = onClosed;
    this.#connections = new ConnectionKeeper(context, connector, {
      onFrame: (frame) => this.#current?.onFrame(frame),
      onLost: (error) => this.#current?.onLost(error),
    });
  }

  /** The gateway's id of the session when it was first opened. */
  get id(): string {
    return this.#connections.id;
  }

  /** Opens the first connection; a refusal is thrown. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#connections.acquire(signal);
      this.#connections.release();
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
    const closing = this.#connections.close();
    this.#current?.onLost(connectionError('closed'));
    this.#onClosed();
    await closing;
  }

  async #sendUtterance(utterance: Utterance, signal: AbortSignal | undefined): Promise<RealtimeAnswer> {
    for (let attempt = 1; attempt <= MAX_CONNECTIONS; attempt++) {
      const connection = await this.#connections.acquire(signal);
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

  #release(): void {
    this.#current = undefined;
    this.#isBusy = false;
    this.#connections.release();
  }
}
