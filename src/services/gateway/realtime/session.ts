import { errorOf, statusOf } from '../error-responses.ts';
import { GatewayError, tooLarge, withEffect } from '../errors.ts';
import { asText } from '../read/places.ts';
import { checked } from '../schemas.ts';
import { Answer } from './answer.ts';
import type { Connector, Surroundings } from './connector.ts';
import { type RealtimeAnswer, type RealtimeSession, spoken, type Utterance } from './events.ts';
import { Lifeline } from './lifeline.ts';
import { type Ear, type Line, lost } from './line.ts';
import { blamed, eventsOf, type Frame, responseIdOf } from './wire.ts';

/** Events about the utterance, before it is answered. */
const OF_THE_SOUND = /^(?:input_audio_buffer\.committed$|conversation\.item\.input_audio_transcription\.)/;

/** A response may fail before it is announced. */
const BEGINNINGS = new Set(['response.created', 'response.done']);

/** Starts the answer synchronously with the events that begin it, because more may have arrived already. */
type Begin = (id: string, frames: readonly Frame[]) => Answer;

/**
 * Sends an utterance and waits until the model starts to answer. Before the request for an answer nothing has started
 * at the gateway; after it, the outcome is unknown until it responds.
 */
class Saying implements Ear {
  readonly #around: Surroundings;
  readonly #utterance: Utterance;
  readonly #begin: Begin;
  readonly #line: Line;
  readonly #own = new Set<string>();
  readonly #before: Frame[] = [];
  readonly #outcome = Promise.withResolvers<Answer | undefined>();
  #request: string | undefined;
  #size = 0;
  #isSettled = false;

  constructor(around: Surroundings, utterance: Utterance, line: Line, begin: Begin) {
    this.#around = around;
    this.#utterance = utterance;
    this.#line = line;
    this.#begin = begin;
  }

  /** Undefined if the connection was lost before anything had started: another one may be tried. */
  async put(signal: AbortSignal | undefined): Promise<Answer | undefined> {
    const { http } = this.#around;
    const takenBack = (): void =>
      this.#fail(withEffect(lost('aborted', http.baseUrl.host, signal?.reason), this.#isAsked));
    if (signal?.aborted) takenBack();
    signal?.addEventListener('abort', takenBack);
    const sending = this.#send().catch((why: GatewayError) => this.lose(why));
    try {
      return await this.#outcome.promise;
    } finally {
      signal?.removeEventListener('abort', takenBack);
      await sending;
    }
  }

  hear(frame: Frame): void {
    if (this.#isSettled) return;
    this.#size += frame.size;
    const most = this.#around.http.limits.answerBytes;
    if (this.#size > most) this.#fail(tooLarge(most, { mayHaveTakenEffect: this.#isAsked }));
    else if (frame.type === 'error') this.#complain(errorOf(frame.body));
    else if (OF_THE_SOUND.test(frame.type)) this.#before.push(frame);
    else if (BEGINNINGS.has(frame.type)) this.#start(frame);
  }

  lose(why: GatewayError): void {
    if (this.#isAsked) this.#fail(withEffect(why, true));
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#line.close();
    this.#outcome.resolve(undefined);
  }

  get #isAsked(): boolean {
    return this.#request !== undefined;
  }

  async #send(): Promise<void> {
    const { names, http } = this.#around;
    for (const event of eventsOf(this.#utterance, names)) {
      if (this.#isSettled) return;
      this.#own.add(event.event_id);
      await this.#line.send(event);
    }
    await this.#line.alive();
    if (this.#isSettled) return;
    const request = names.event('response.create');
    this.#own.add(request.event_id);
    this.#request = request.event_id;
    const late = lost('silent', http.baseUrl.host);
    const cancel = http.tools.clock.after(http.limits.submitMs, () => this.#fail(withEffect(late, true)));
    await this.#line.send(request);
    await Promise.allSettled([this.#outcome.promise]);
    cancel();
  }

  #start(frame: Frame): void {
    if (this.#request === undefined) return;
    const id = responseIdOf(frame.body) ?? this.#request;
    if (this.#around.past.has(id)) return;
    this.#isSettled = true;
    this.#outcome.resolve(this.#begin(id, [...this.#before, frame]));
  }

  #complain(error: Record<string, unknown>): void {
    const about = blamed(error);
    if (about !== undefined && !this.#own.has(about)) return;
    // An error without an event id can only be about the request.
    if (about === undefined && !this.#isAsked) return;
    // The gateway then closes the connection, which is handled there.
    if (asText(error.code) === 'session_expired') return;
    const refusal = this.#around.http.errorIn({ error }, statusOf(error));
    this.#fail(about === undefined ? refusal : withEffect(refusal, false));
  }

  /** Closes the connection: the gateway's conversation holds an utterance without an answer. */
  #fail(why: GatewayError): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#line.close();
    this.#outcome.reject(why);
  }
}

/** Dead connections in a row before an utterance is given up. */
const MOST_CONNECTIONS = 3;

/** A conversation: one utterance at a time, each with its answer. */
export class Session implements RealtimeSession {
  readonly #around: Surroundings;
  readonly #connector: Connector;
  readonly #lifeline: Lifeline;
  readonly #whenClosed: () => void;
  /** The utterance being sent, or its answer: receives all events. */
  #now: Ear | undefined;
  #isBusy = false;

  constructor(around: Surroundings, connector: Connector, whenClosed: () => void) {
    this.#around = around;
    this.#connector = connector;
    this.#whenClosed = whenClosed;
    this.#lifeline = new Lifeline(around, connector, {
      hear: (frame) => this.#now?.hear(frame),
      lose: (why) => this.#now?.lose(why),
    });
  }

  get id(): string {
    return this.#lifeline.id;
  }

  /** Opens the first connection; a refusal is thrown. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#lifeline.take(signal);
      this.#lifeline.rest();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async say(utterance: Utterance, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<RealtimeAnswer> {
    const said = checked(spoken, utterance);
    if (this.#isBusy) {
      throw new GatewayError('The last answer has not ended: interrupt it first.', { kind: 'invalid', code: 'busy' });
    }
    this.#isBusy = true;
    try {
      return await this.#put(said, signal);
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  async close(): Promise<void> {
    const closed = this.#lifeline.close();
    this.#now?.lose(lost('closed', this.#around.http.baseUrl.host));
    this.#whenClosed();
    await closed;
  }

  async #put(said: Utterance, signal: AbortSignal | undefined): Promise<RealtimeAnswer> {
    for (let connection = 1; connection <= MOST_CONNECTIONS; connection++) {
      const line = await this.#lifeline.take(signal);
      const saying = new Saying(this.#around, said, line, (id, frames) => this.#begin(id, line, said, frames));
      this.#now = saying;
      const answer = await saying.put(signal);
      if (answer) return answer;
    }
    throw lost('cut', this.#around.http.baseUrl.host);
  }

  #begin(id: string, line: Line, said: Utterance, frames: readonly Frame[]): Answer {
    const { writesDown } = this.#connector;
    const answer = new Answer(this.#around, { id, line, said, writesDown, whenOver: () => this.#rest() });
    this.#now = answer;
    for (const frame of frames) answer.hear(frame);
    return answer;
  }

  #rest(): void {
    this.#now = undefined;
    this.#isBusy = false;
    this.#lifeline.rest();
  }
}
