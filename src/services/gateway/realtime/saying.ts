import type { GatewayError } from '../errors.ts';
import { tooLarge } from '../failures.ts';
import { asText } from '../read/values.ts';
import { errorOf, statusOf } from '../responses/failure.ts';
import type { Answer } from './answer.ts';
import type { Utterance } from './events.ts';
import { lost, ofSaid } from './failures.ts';
import { blamed, type Frame, responseIdOf } from './frames.ts';
import type { Ear, Line } from './line.ts';
import type { Surroundings } from './surroundings.ts';
import { eventsOf } from './utterance.ts';

/** What a gateway says of a sound before it answers it. */
const OF_THE_SOUND = /^(?:input_audio_buffer\.committed$|conversation\.item\.input_audio_transcription\.)/;

/** A response may fail before it was announced. */
const BEGINNINGS = new Set(['response.created', 'response.done']);

/** Makes the answer of what begins it; at once, for more of it may have come already. */
type Begin = (id: string, frames: readonly Frame[]) => Answer;

/**
 * Puts something said to a connection, until the model begins to answer. Up to the request for an answer nothing is begun at the gateway; from
 * then on nobody knows, until it says so.
 */
export class Saying implements Ear {
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

  /** Undefined where the connection was lost before anything was begun: another one may be tried. */
  async put(signal: AbortSignal | undefined): Promise<Answer | undefined> {
    const { http } = this.#around;
    const takenBack = (): void => this.#fail(ofSaid(lost('aborted', http.baseUrl.host, signal?.reason), this.#isAsked));
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
    if (this.#isAsked) this.#fail(ofSaid(why, true));
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
    const cancel = http.tools.clock.after(http.limits.submitMs, () => this.#fail(ofSaid(late, true)));
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
    // Of an error that names nothing, only the request can be the reason: there is no other.
    if (about === undefined && !this.#isAsked) return;
    // Whoever says so closes the connection, and that is then the answer.
    if (asText(error.code) === 'session_expired') return;
    const refusal = this.#around.http.errorIn({ error }, statusOf(error));
    this.#fail(about === undefined ? refusal : ofSaid(refusal, false));
  }

  /** What was put so far stands in the gateway's conversation without an answer: it goes with the connection. */
  #fail(why: GatewayError): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#line.close();
    this.#outcome.reject(why);
  }
}
