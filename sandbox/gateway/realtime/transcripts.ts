import type { Item } from './item.ts';
import { Player } from './player.ts';
import type { ReplyStep } from './reply-steps.ts';
import type { SessionState } from './state.ts';
import { spokenWordsOf } from './voice.ts';

/** The delays before the first word and between words, in the gateway's own time. */
const FIRST_WORD_MS = 200;
const WORD_MS = 20;

/** Transcribes the client's audio, if the session requested it. */
export class Transcripts {
  readonly #session: SessionState;
  readonly #running = new Set<Player>();

  constructor(session: SessionState) {
    this.#session = session;
  }

  start(item: Item, contentIndex: number): void {
    const { parts, client } = this.#session;
    const player: Player = new Player(parts.pace, this.#steps(item, contentIndex), (step) => {
      if ('event' in step) client.send(step.event);
    });
    this.#running.add(player);
    player.start();
  }

  stop(): void {
    for (const player of this.#running) player.stop();
    this.#running.clear();
  }

  *#steps(item: Item, contentIndex: number): Generator<ReplyStep, void, void> {
    const part = item.type === 'message' ? item.parts[contentIndex] : undefined;
    if (part?.type !== 'sound') return;
    const transcriptionEvent = (event: string) => ({
      type: `conversation.item.input_audio_transcription.${event}`,
      item_id: item.id,
      content_index: contentIndex,
    });
    if (this.#session.faultAt('transcript')) {
      const error = { type: 'transcription_error', code: 'audio_unintelligible', param: null };
      const message = 'The sandbox was told not to understand this.';
      yield { wait: FIRST_WORD_MS, event: { ...transcriptionEvent('failed'), error: { ...error, message } } };
      return;
    }
    for (const [index, delta] of spokenWordsOf(part.description).entries())
      yield { wait: index === 0 ? FIRST_WORD_MS : WORD_MS, event: { ...transcriptionEvent('delta'), delta } };
    this.#markTranscribed(item.id, contentIndex);
    const usage = { type: 'duration', seconds: part.ms / 1_000 };
    yield { wait: 0, event: { ...transcriptionEvent('completed'), transcript: part.description, usage } };
  }

  #markTranscribed(id: string, contentIndex: number): void {
    const { conversation } = this.#session;
    const item = conversation.find(id);
    const part = item?.type === 'message' ? item.parts[contentIndex] : undefined;
    if (item?.type !== 'message' || part?.type !== 'sound') return;
    conversation.update({ ...item, parts: item.parts.with(contentIndex, { ...part, isTranscribed: true }) });
  }
}
