import { errorInEvent, statusOfError } from '../error-responses.ts';
import { type GatewayError, responseTooLargeError, withTakenEffect } from '../errors.ts';
import { asText } from '../places.ts';
import type { RealtimeAnswer } from '../realtime-answer.ts';
import type { EarlierTurn, Utterance } from '../realtime-events.ts';
import { type ConnectionListener, connectionError, type RealtimeConnection } from './connection.ts';
import type { SessionContext } from './connector.ts';
import { causingEventId, type RealtimeFrame, responseIdOf, turnItem, utteranceEvents } from './wire.ts';

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
export class UtteranceSender implements ConnectionListener {
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
