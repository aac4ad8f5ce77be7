import { asText } from '../read/values.ts';
import type { Frame } from './frames.ts';

const PREFIX = 'conversation.item.input_audio_transcription.';

/** What the gateway writes down of one sound. It does so beside the answer, and may be slower or never come to it. */
export class Hearing {
  #itemId: string | undefined;
  #words = '';
  #isOver: boolean;

  constructor(isExpected: boolean) {
    this.#isOver = !isExpected;
  }

  get isAwaited(): boolean {
    return !this.#isOver;
  }

  /** All of it, once, as soon as it is known. */
  take({ type, body }: Frame): string | undefined {
    if (type === 'input_audio_buffer.committed') this.#itemId ??= asText(body.item_id);
    if (this.#isOver || !type.startsWith(PREFIX) || !this.#isOurs(body)) return undefined;
    switch (type.slice(PREFIX.length)) {
      case 'delta':
        if (typeof body.delta === 'string') this.#words += body.delta;
        return undefined;
      case 'completed':
        return this.close(asText(body.transcript));
      case 'failed':
        return this.close();
      default:
        return undefined;
    }
  }

  /** Nothing more will come: what is there has to do. */
  close(whole?: string): string | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    const words = (whole ?? this.#words).trim();
    return words === '' ? undefined : words;
  }

  #isOurs(body: Record<string, unknown>): boolean {
    const id = asText(body.item_id);
    return id === undefined || this.#itemId === undefined || id === this.#itemId;
  }
}
