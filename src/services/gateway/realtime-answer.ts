import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { PCM_RATE } from '../../lib/pcm.ts';
import { type GatewayError, responseTooLargeError, withTakenEffect } from './errors.ts';
import { asText } from './places.ts';
import { type ConnectionListener, connectionError, type RealtimeConnection } from './realtime/connection.ts';
import type { SessionContext } from './realtime/connector.ts';
import { ResponseReader } from './realtime/reader.ts';
import { type RealtimeFrame, responseIdOf } from './realtime/wire.ts';
import type { RealtimeEvent, RealtimeResponse } from './realtime-events.ts';

const TRANSCRIPTION_PREFIX = 'conversation.item.input_audio_transcription.';

/** The transcript of one utterance. It arrives independently of the answer, and may be late or never arrive. */
class Transcript {
  #itemId: string | undefined;
  #text = '';
  #isOver: boolean;

  constructor(isExpected: boolean) {
    this.#isOver = !isExpected;
  }

  get isAwaited(): boolean {
    return !this.#isOver;
  }

  /** Returns the complete transcript once, as soon as it is known. */
  processFrame({ type, body }: RealtimeFrame): string | undefined {
    if (type === 'input_audio_buffer.committed') this.#itemId ??= asText(body.item_id);
    const id = asText(body.item_id);
    const isOurs = id === undefined || this.#itemId === undefined || id === this.#itemId;
    if (this.#isOver || !isOurs) return undefined;
    if (type === `${TRANSCRIPTION_PREFIX}delta` && typeof body.delta === 'string') this.#text += body.delta;
    if (type === `${TRANSCRIPTION_PREFIX}completed`) return this.close(asText(body.transcript));
    return type === `${TRANSCRIPTION_PREFIX}failed` ? this.close() : undefined;
  }

  /** Ends the transcript. Without the full text, the part that has arrived is used. */
  close(fullText?: string): string | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    return (fullText ?? this.#text).trim() || undefined;
  }
}

/** No normal reply takes this long, and one whose events keep coming would be paid for without end. */
const MAX_REPLY_MS = 15 * 60_000;
/** How long to wait for the end of an interrupted answer. */
const INTERRUPT_TIMEOUT_MS = 5_000;
/** How long the end of an answer waits for a late transcript of the utterance. */
const TRANSCRIPT_TIMEOUT_MS = 2_000;

interface AnswerParts {
  id: string;
  connection: RealtimeConnection;
  isTranscribed: boolean;
  onEnd(): void;
}

export class RealtimeAnswer implements ConnectionListener {
  readonly id: string;
  #controller: ReadableStreamDefaultController<RealtimeEvent> | undefined;
  /** Queued until they are read. Once the reader has stopped, nothing more is queued. */
  readonly events = new ReadableStream<RealtimeEvent>({
    start: (controller) => {
      this.#controller = controller;
    },
    cancel: () => {
      this.#controller = undefined;
    },
  });
  readonly #context: SessionContext;
  readonly #connection: RealtimeConnection;
  readonly #onEnd: () => void;
  readonly #reader: ResponseReader;
  readonly #transcript: Transcript;
  readonly #ended = Promise.withResolvers<void>();
  #end: RealtimeResponse | undefined;
  #isInterrupted = false;
  #isOver = false;
  #size = 0;
  #stopTimer: () => void = () => undefined;
  readonly #stopReplyLimit: () => void;

  constructor(context: SessionContext, { id, connection, isTranscribed, onEnd }: AnswerParts) {
    this.id = id;
    this.#connection = connection;
    this.#context = context;
    this.#onEnd = onEnd;
    this.#reader = new ResponseReader(id, context.http.parseError);
    this.#transcript = new Transcript(isTranscribed);
    this.#awaitEvent();
    this.#stopReplyLimit = context.http.parts.clock.after(MAX_REPLY_MS, () => this.#giveUpSilent());
  }

  onFrame(frame: RealtimeFrame): void {
    if (this.#isOver) return;
    this.#size += frame.size;
    const max = this.#context.http.limits.responseBytes;
    if (this.#size > max) this.#giveUp(responseTooLargeError(max, {}));
    else this.#processFrame(frame);
  }

  onLost(error: GatewayError): void {
    if (!this.#isOver) this.#endWith(this.#end ?? this.#buildEndAfterLoss(error));
  }

  /** Interrupts the answer and removes the unheard part from the conversation. The last event says `cancelled`. */
  async interrupt(): Promise<void> {
    if (this.#isOver) return;
    if (this.#end) this.#endWith(this.#end);
    else if (!this.#isInterrupted) {
      this.#isInterrupted = true;
      this.#reader.freeze();
      this.#awaitEvent(INTERRUPT_TIMEOUT_MS);
      // If the connection is lost in the meantime, the answer ends as well.
      await Promise.allSettled(this.#interruptEvents().map((event) => this.#connection.send(event)));
    }
    await this.#ended.promise;
  }

  #interruptEvents() {
    const { eventIds } = this.#context;
    const cancel = eventIds.createEvent('response.cancel', { response_id: this.id });
    const { audioProgress } = this.#reader;
    if (!audioProgress) return [cancel];
    const { itemId: item_id, contentIndex: content_index, samples } = audioProgress;
    const audio_end_ms = Math.floor((samples * 1000) / PCM_RATE);
    return [cancel, eventIds.createEvent('conversation.item.truncate', { item_id, content_index, audio_end_ms })];
  }

  #buildEndAfterLoss(error: GatewayError): RealtimeResponse {
    if (this.#isInterrupted) return this.#reader.buildEnd('cancelled');
    return this.#reader.buildEnd('cut', { error: withTakenEffect(error, true) });
  }

  #giveUp(error: GatewayError): void {
    this.#connection.close();
    this.onLost(error);
  }

  #processFrame(frame: RealtimeFrame): void {
    this.#reportTranscript(this.#transcript.processFrame(frame));
    const isOurs = frame.type.startsWith('response.') && (responseIdOf(frame.body) ?? this.id) === this.id;
    if (!this.#end) {
      if (isOurs) this.#read(frame);
    } else if (!this.#transcript.isAwaited) this.#endWith(this.#end);
  }

  #read(frame: RealtimeFrame): void {
    if (!this.#isInterrupted) this.#awaitEvent();
    for (const event of this.#reader.processFrame(frame)) {
      if (event.type === 'end') this.#finish(event.response);
      else this.#controller?.enqueue(event);
    }
  }

  #finish(end: RealtimeResponse): void {
    if (this.#transcript.isAwaited && !this.#isInterrupted) {
      this.#end = end;
      this.#startTimer(TRANSCRIPT_TIMEOUT_MS, () => this.#endWith(end));
    } else this.#endWith(end);
  }

  #endWith(end: RealtimeResponse): void {
    this.#isOver = true;
    this.#stopTimer();
    this.#stopReplyLimit();
    this.#reportTranscript(this.#transcript.close());
    this.#context.endedResponses.add(this.id);
    this.#controller?.enqueue({ type: 'end', response: end });
    this.#controller?.close();
    this.#ended.resolve();
    this.#onEnd();
  }

  #reportTranscript(text: string | undefined): void {
    if (text !== undefined) this.#controller?.enqueue({ type: 'heard', text });
  }

  #awaitEvent(ms = this.#context.http.limits.silenceMs): void {
    this.#startTimer(ms, () => this.#giveUpSilent());
  }

  #giveUpSilent(): void {
    this.#giveUp(connectionError('silent'));
  }

  /** Only one timer runs at a time. */
  #startTimer(ms: number, onTimeout: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.#context.http.parts.clock.after(ms, onTimeout);
  }
}
