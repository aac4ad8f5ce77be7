import type { Item } from './item.ts';
import { Player } from './player.ts';
import type { SessionState } from './state.ts';
import type { Stroke } from './strokes.ts';
import { wordsSpoken } from './voice.ts';

/** Milliseconds of the gateway's own time, until the first word and between them. */
const LISTENING = 200;
const WORD = 20;

/** Writes down what was said, beside the answer, where the session asked for it. */
export class Transcripts {
  readonly #session: SessionState;
  readonly #running = new Set<Player>();

  constructor(session: SessionState) {
    this.#session = session;
  }

  write(item: Item, content: number): void {
    const { parts, line } = this.#session;
    const player: Player = new Player(parts.pace, this.#strokes(item, content), (stroke) => {
      if ('event' in stroke) line.tell(stroke.event);
    });
    this.#running.add(player);
    player.start();
  }

  stop(): void {
    for (const player of this.#running) player.stop();
    this.#running.clear();
  }

  *#strokes(item: Item, content: number): Generator<Stroke, void, void> {
    const part = item.type === 'message' ? item.parts[content] : undefined;
    if (part?.type !== 'sound') return;
    const about = (event: string) => ({
      ...{ type: `conversation.item.input_audio_transcription.${event}`, item_id: item.id, content_index: content },
    });
    if (this.#session.faultAt('transcript')) {
      const error = { type: 'transcription_error', code: 'audio_unintelligible', param: null };
      const message = 'The sandbox was told not to understand this.';
      yield { wait: LISTENING, event: { ...about('failed'), error: { ...error, message } } };
      return;
    }
    for (const [at, delta] of wordsSpoken(part.understood).entries())
      yield { wait: at === 0 ? LISTENING : WORD, event: { ...about('delta'), delta } };
    this.#written(item.id, content);
    const usage = { type: 'duration', seconds: part.ms / 1_000 };
    yield { wait: 0, event: { ...about('completed'), transcript: part.understood, usage } };
  }

  #written(id: string, content: number): void {
    const { conversation } = this.#session;
    const item = conversation.find(id);
    const part = item?.type === 'message' ? item.parts[content] : undefined;
    if (item?.type !== 'message' || part?.type !== 'sound') return;
    conversation.update({ ...item, parts: item.parts.with(content, { ...part, isWritten: true }) });
  }
}
