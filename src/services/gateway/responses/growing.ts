/** Where a piece of text belongs: the item of the output, and the part of that item. */
export interface Spot {
  item: string;
  part: string;
}

/**
 * Text that comes in pieces of several parts, of which some are told again whole. What each call returns is what is new,
 * and all of it joined is always `text`.
 */
export class Growing {
  #text = '';
  #last: Spot | undefined;
  readonly #parts = new Map<string, string>();
  readonly #begins: (last: Spot, next: Spot) => boolean;

  /** `begins` says where a new paragraph does: what two items say would run together otherwise. */
  constructor(begins: (last: Spot, next: Spot) => boolean) {
    this.#begins = begins;
  }

  get text(): string {
    return this.#text;
  }

  add(spot: Spot, delta: string): string {
    if (delta === '') return '';
    const last = this.#last;
    const needsBreak = last !== undefined && this.#begins(last, spot) && !/\s$/.test(this.#text);
    this.#last = spot;
    const key = keyOf(spot);
    this.#parts.set(key, (this.#parts.get(key) ?? '') + delta);
    const fresh = needsBreak ? `\n\n${delta}` : delta;
    this.#text += fresh;
    return fresh;
  }

  /** A part told whole: what is missing of it. Where it contradicts what came, what came stays, for it has been read already. */
  whole(spot: Spot, whole: string): string {
    const came = this.#parts.get(keyOf(spot));
    if (came !== undefined) return whole.startsWith(came) ? this.add(spot, whole.slice(came.length)) : '';
    // Told under another number than its pieces had.
    return this.#text.endsWith(whole) ? '' : this.add(spot, whole);
  }

  /** The whole text once more, as the last event has it; an empty one says nothing. */
  complete(whole: string): string {
    if (!whole.startsWith(this.#text)) return '';
    const fresh = whole.slice(this.#text.length);
    this.#text = whole;
    return fresh;
  }
}

const keyOf = ({ item, part }: Spot): string => `${item} ${part}`;
