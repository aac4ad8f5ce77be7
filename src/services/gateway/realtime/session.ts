import { GatewayError } from '../errors.ts';
import { checked } from '../schemas.ts';
import { Answer } from './answer.ts';
import type { Connector } from './connector.ts';
import type { RealtimeAnswer, RealtimeSession, Utterance } from './events.ts';
import { lost } from './failures.ts';
import type { Frame } from './frames.ts';
import { Lifeline } from './lifeline.ts';
import type { Ear, Line } from './line.ts';
import { Saying } from './saying.ts';
import type { Surroundings } from './surroundings.ts';
import { spoken } from './utterance.ts';

/** So many in a row may turn out to be dead before something that is said is given up. */
const MOST_CONNECTIONS = 3;

/** A conversation: one thing said after the other, each with its answer. */
export class Session implements RealtimeSession {
  readonly #around: Surroundings;
  readonly #connector: Connector;
  readonly #lifeline: Lifeline;
  readonly #whenClosed: () => void;
  /** What is being said, or its answer: told whatever the gateway says. */
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

  /** Makes the first connection, whose refusal is thrown. */
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
      throw new GatewayError('The last answer is still coming: break it off first.', { kind: 'invalid', code: 'busy' });
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
