import type { InputItem } from '../requests/text.ts';
import { EventError } from './event-error.ts';
import { type Item, speechMs, textOf, textUntil, toInputItem } from './item.ts';
import { addTokens, NO_TOKENS, type Tokens, tokensOf } from './tokens.ts';

/** The items of a session, oldest first. */
export class Conversation {
  #items: readonly Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  /** The conversation as input for the next reply. */
  get input(): InputItem[] {
    return this.#items.map(toInputItem);
  }

  get tokens(): Tokens {
    return this.#items.map(tokensOf).reduce(addTokens, NO_TOKENS);
  }

  /** The text of the model's last reply, after truncation. */
  get lastReply(): string | undefined {
    const last = this.#items.findLast((item) => item.type === 'message' && item.role === 'assistant');
    return last?.type === 'message' ? textOf(last) : undefined;
  }

  /** The user's last message; for audio, its description. */
  get lastUtterance(): string | undefined {
    const last = this.#items.findLast((item) => item.type === 'message' && item.role === 'user');
    return last?.type === 'message' ? textOf(last) : undefined;
  }

  find(id: string): Item | undefined {
    return this.#items.find((item) => item.id === id);
  }

  /** Adds the item after another one, at the beginning (`root`), or at the end; returns the id of the previous item. */
  add(item: Item, previousId?: string): string | null {
    if (this.find(item.id)) {
      throw new EventError(`Error adding item: an item with id '${item.id}' already exists.`, {
        code: 'item_create_duplicate_item_id',
        param: 'item.id',
      });
    }
    const index =
      previousId === undefined ? this.#items.length : previousId === 'root' ? 0 : this.#indexOf(previousId) + 1;
    this.#items = this.#items.toSpliced(index, 0, item);
    return this.#items[index - 1]?.id ?? null;
  }

  /** Has no effect if the item was deleted in the meantime. */
  update(item: Item): void {
    this.#items = this.#items.map((one) => (one.id === item.id ? item : one));
  }

  delete(id: string): void {
    this.#getItem(id, 'delete');
    this.#items = this.#items.filter((item) => item.id !== id);
  }

  retrieve(id: string): Item {
    return this.#getItem(id, 'retrieve');
  }

  /** Removes the part of the reply that was not played, because the user did not hear it. */
  truncate(id: string, contentIndex: number, ms: number): void {
    const item = this.#getItem(id, 'truncate');
    const part = item.type === 'message' && item.role === 'assistant' ? item.parts[contentIndex] : undefined;
    if (item.type !== 'message' || part?.type !== 'speech') {
      throw new EventError('Only model output audio messages can be truncated.', {
        code: 'invalid_value',
        param: part ? 'item_id' : 'content_index',
      });
    }
    const totalMs = speechMs(part.text);
    if (ms > totalMs) {
      throw new EventError(`Audio content of ${Math.floor(totalMs)}ms is already shorter than ${ms}ms.`, {
        code: 'invalid_value',
        param: 'audio_end_ms',
      });
    }
    this.update({ ...item, parts: item.parts.with(contentIndex, { ...part, text: textUntil(part.text, ms) }) });
  }

  #indexOf(id: string): number {
    const index = this.#items.findIndex((item) => item.id === id);
    if (index >= 0) return index;
    throw new EventError(`Error adding item: the previous item with id '${id}' does not exist.`, {
      code: 'item_create_previous_item_not_found',
      param: 'previous_item_id',
    });
  }

  #getItem(id: string, operation: 'delete' | 'retrieve' | 'truncate'): Item {
    const item = this.find(id);
    if (item) return item;
    throw new EventError(`Error with item: no item with id '${id}' exists in this conversation.`, {
      code: `item_${operation}_invalid_item_id`,
      param: 'item_id',
    });
  }
}
