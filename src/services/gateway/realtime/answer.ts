import { PCM_RATE } from '../../../lib/pcm.ts';
import { type GatewayError, tooLarge, withEffect } from '../errors.ts';
import { asText } from '../read/places.ts';
import type { Surroundings } from './connector.ts';
import type { RealtimeAnswer, RealtimeEvent, RealtimeResponse, Utterance } from './events.ts';
import { type Ear, type Line, lost } from './line.ts';
import { ResponseReader } from './reader.ts';
import { type Frame, responseIdOf } from './wire.ts';

const PREFIX = 'conversation.item.input_audio_transcription.';

/** The transcript of one utterance. It arrives next to the answer, and may be late or never come. */
class Hearing {
  #itemId: string | undefined;
  #words = '';
  #isOver: boolean;

  constructor(isExpected: boolean) {
    this.#isOver = !isExpected;
  }

  get isAwaited(): boolean {
    return !this.#isOver;
  }

  /** The whole transcript, once, as soon as it is known. */
  take({ type, body }: Frame): string | undefined {
    if (type === 'input_audio_buffer.committed') this.#itemId ??= asText(body.item_id);
    const id = asText(body.item_id);
    const isOurs = id === undefined || this.#itemId === undefined || id === this.#itemId;
    if (this.#isOver || !isOurs) return undefined;
    if (type === `${PREFIX}delta` && typeof body.delta === 'string') this.#words += body.delta;
    if (type === `${PREFIX}completed`) return this.close(asText(body.transcript));
    return type === `${PREFIX}failed` ? this.close() : undefined;
  }

  /** Nothing more will come: uses what has arrived. */
  close(whole?: string): string | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    return (whole ?? this.#words).trim() || undefined;
  }
}

/** An unbounded queue with one reader. */
class Feed<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #isOver = false;
  #wake: (() => void) | undefined;

  tell(value: T): void {
    if (this.#isOver) return;
    this.#waiting.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    try {
      for (;;) {
        for (const value of this.#waiting.splice(0)) yield value;
        if (this.#waiting.length > 0) continue;
        if (this.#isOver) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      // A reader that has left gets nothing more, so nothing is kept.
      this.#isOver = true;
      this.#waiting.length = 0;
    }
  }
}

/** How long an interrupted answer may take to end. */
const LAST_WORD_MS = 5_000;
/** How long the end of an answer waits for a late transcript of the utterance. */
const LATE_WORDS_MS = 2_000;

interface Beginning {
  id: string;
  line: Line;
  /** The utterance that it answers. */
  said: Utterance;
  /** Whether the gateway transcribes audio. */
  writesDown: boolean;
  whenOver(): void;
}

export class Answer implements RealtimeAnswer, Ear {
  readonly id: string;
  readonly #around: Surroundings;
  readonly #line: Line;
  readonly #whenOver: () => void;
  readonly #reader: ResponseReader;
  readonly #hearing: Hearing;
  readonly #feed = new Feed<RealtimeEvent>();
  readonly #over = Promise.withResolvers<void>();
  /** Adds the transcript to the conversation's memory. */
  readonly #learn: ((words: string) => void) | undefined;
  #end: RealtimeResponse | undefined;
  #isInterrupted = false;
  #isOver = false;
  #size = 0;
  #stopTimer: () => void = () => undefined;

  constructor(around: Surroundings, { id, line, said, writesDown, whenOver }: Beginning) {
    this.id = id;
    this.#line = line;
    this.#around = around;
    this.#whenOver = whenOver;
    this.#reader = new ResponseReader(id, around.http.errorIn);
    const { text = '', sound, outputs = [] } = said;
    for (const output of outputs) around.memory.answered(output);
    const hasSound = sound !== undefined && sound.length > 0;
    if (hasSound) this.#learn = around.memory.heard();
    around.memory.said('member', text);
    this.#hearing = new Hearing(hasSound && writesDown);
    this.#expectMore();
  }

  get events(): AsyncIterable<RealtimeEvent> {
    return this.#feed;
  }

  hear(frame: Frame): void {
    if (this.#isOver) return;
    this.#size += frame.size;
    const most = this.#around.http.limits.answerBytes;
    if (this.#size > most) this.#giveUp(tooLarge(most, {}));
    else this.#take(frame);
  }

  lose(why: GatewayError): void {
    if (!this.#isOver) this.#release(this.#end ?? this.#cut(why));
  }

  async interrupt(): Promise<void> {
    if (this.#isOver) return;
    if (this.#end) this.#release(this.#end);
    else if (!this.#isInterrupted) {
      this.#isInterrupted = true;
      this.#reader.freeze();
      this.#expectMore(LAST_WORD_MS);
      // If the connection is lost meanwhile, that ends the answer as well.
      await Promise.allSettled(this.#breakingOff().map((event) => this.#line.send(event)));
    }
    await this.#over.promise;
  }

  #breakingOff() {
    const { names } = this.#around;
    const cancel = names.event('response.cancel', { response_id: this.id });
    const { sound } = this.#reader;
    if (!sound) return [cancel];
    const { itemId: item_id, contentIndex: content_index, samples } = sound;
    const audio_end_ms = Math.floor((samples * 1000) / PCM_RATE);
    return [cancel, names.event('conversation.item.truncate', { item_id, content_index, audio_end_ms })];
  }

  #cut(why: GatewayError): RealtimeResponse {
    if (this.#isInterrupted) return this.#reader.end('cancelled');
    return this.#reader.end('cut', { error: withEffect(why, true) });
  }

  #giveUp(why: GatewayError): void {
    this.#line.close();
    this.lose(why);
  }

  #take(frame: Frame): void {
    this.#tellHeard(this.#hearing.take(frame));
    const isOurs = frame.type.startsWith('response.') && (responseIdOf(frame.body) ?? this.id) === this.id;
    if (!this.#end) {
      if (isOurs) this.#read(frame);
    } else if (!this.#hearing.isAwaited) this.#release(this.#end);
  }

  #read(frame: Frame): void {
    if (!this.#isInterrupted) this.#expectMore();
    for (const event of this.#reader.take(frame)) {
      if (event.type === 'end') this.#finish(event.response);
      else this.#feed.tell(event);
    }
  }

  #finish(end: RealtimeResponse): void {
    if (this.#hearing.isAwaited && !this.#isInterrupted) {
      this.#end = end;
      this.#expect(LATE_WORDS_MS, () => this.#release(end));
    } else this.#release(end);
  }

  #release(end: RealtimeResponse): void {
    this.#isOver = true;
    this.#stopTimer();
    this.#tellHeard(this.#hearing.close());
    const { memory, past } = this.#around;
    memory.said('model', end.text);
    for (const call of end.calls) memory.called(call);
    past.add(this.id);
    this.#feed.tell({ type: 'end', response: end });
    this.#feed.end();
    this.#over.resolve();
    this.#whenOver();
  }

  #tellHeard(words: string | undefined): void {
    if (words === undefined) return;
    this.#learn?.(words);
    this.#feed.tell({ type: 'heard', text: words });
  }

  #expectMore(ms = this.#around.http.limits.silenceMs): void {
    this.#expect(ms, () => this.#giveUp(lost('silent', this.#around.http.baseUrl.host)));
  }

  /** Only one timer runs at a time. */
  #expect(ms: number, late: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.#around.http.tools.clock.after(ms, late);
  }
}
