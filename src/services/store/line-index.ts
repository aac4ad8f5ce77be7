import type { z } from 'zod';
import type { TaskLine } from '../tasks/task-line.ts';
import {
  chunkKey,
  chunkSchema,
  headSchema,
  inOrder,
  isSameLine,
  LINES_A_CHUNK,
  type Place,
  placeOf,
  startOf,
  withinRange,
} from './line-chunks.ts';
import type { Quarantine } from './quarantine.ts';
import type { Shelf } from './shelf.ts';

/** Comes after every letter that a task's id may begin with. */
const AFTER_IDS = '~';

/**
 * The lines of each owner (a member, a server) in the order of their ids, in chunks. Every method must be called by one caller at a time for
 * the same owner.
 *
 * Each change is an order of writes of which every beginning is sound: a chunk that no head names is not looked at, and lines outside of a
 * chunk's range are not believed.
 */
export class LineIndex {
  readonly #shelf: Shelf;
  readonly #quarantine: Quarantine;

  constructor(shelf: Shelf, quarantine: Quarantine) {
    this.#shelf = shelf;
    this.#quarantine = quarantine;
  }

  /** In the place of the task's earlier line, if there is one. */
  async put(owner: string, added: TaskLine, isOver: (line: TaskLine) => boolean): Promise<void> {
    const starts = await this.#starts(owner);
    const place = placeOf(added.id, starts);
    if (!place) return this.#begin(owner, starts, added);
    const before = await this.#chunk(owner, place);
    const known = before.find(({ id }) => id === added.id);
    if (known && isSameLine(known, added)) return;
    const lines = inOrder([...before.filter((line) => line !== known), added]);
    if (lines.length <= LINES_A_CHUNK) return this.#writeChunk(owner, startOf(place), lines);
    await this.#split(owner, place, lines, added);
    await this.#dropOldest(owner, isOver);
  }

  async remove(owner: string, id: string): Promise<void> {
    const place = placeOf(id, await this.#starts(owner));
    if (!place) return;
    const before = await this.#chunk(owner, place);
    const lines = before.filter((known) => known.id !== id);
    if (lines.length === before.length) return;
    await (lines.length > 0 ? this.#writeChunk(owner, startOf(place), lines) : this.#dropChunk(owner, place));
  }

  /** Removes the chunks that no head names: what a crash has left of those that went. */
  async clearAstray(owner: string): Promise<void> {
    const named = new Set((await this.#starts(owner)).map((start) => chunkKey(owner, start)));
    const astray: string[] = [];
    for await (const [key] of this.#shelf.between(chunkKey(owner, ''), chunkKey(owner, AFTER_IDS)))
      if (!named.has(key)) astray.push(key);
    await this.#shelf.delete(...astray);
  }

  /** Chunk by chunk, newest first, from the newest line that is older than `before`. */
  async *newestFirst(owner: string, before?: string): AsyncGenerator<TaskLine[]> {
    const starts = await this.#starts(owner);
    const first = before === undefined ? starts.length - 1 : placeOf(before, starts)?.at;
    for (let at = first ?? -1; at >= 0; at--) {
      const lines = await this.#chunk(owner, { starts, at });
      yield lines.filter(({ id }) => before === undefined || id < before).reverse();
    }
  }

  /** The head goes first and comes last: whatever happens in between, no half of a list is taken for the whole. */
  async rewrite(owner: string, lines: readonly TaskLine[]): Promise<void> {
    const before = await this.#starts(owner);
    await this.#shelf.delete(owner, ...before.map((start) => chunkKey(owner, start)));
    const sorted = inOrder(lines);
    const starts: string[] = [];
    for (let at = 0; at < sorted.length; at += LINES_A_CHUNK) {
      const chunk = sorted.slice(at, at + LINES_A_CHUNK);
      const start = chunk[0]?.id ?? '';
      await this.#writeChunk(owner, start, chunk);
      starts.push(start);
    }
    if (starts.length > 0) await this.#writeHead(owner, starts);
  }

  async #begin(owner: string, starts: readonly string[], oldest: TaskLine): Promise<void> {
    await this.#writeChunk(owner, oldest.id, [oldest]);
    await this.#writeHead(owner, [oldest.id, ...starts]);
  }

  /** The upper part is there before the head names it, and goes from the lower one only after. */
  async #split(owner: string, place: Place, lines: readonly TaskLine[], added: TaskLine): Promise<void> {
    const isNewest = lines.at(-1) === added;
    const cut = isNewest ? lines.length - 1 : Math.floor(lines.length / 2);
    const [lower, upper] = [lines.slice(0, cut), lines.slice(cut)];
    const start = upper[0]?.id ?? added.id;
    await this.#writeChunk(owner, start, upper);
    await this.#writeHead(owner, place.starts.toSpliced(place.at + 1, 0, start));
    if (!isNewest) await this.#writeChunk(owner, startOf(place), lower);
  }

  /** Whoever begins a chunk looks whether the oldest is over, so that an index does not grow for ever. */
  async #dropOldest(owner: string, isOver: (line: TaskLine) => boolean): Promise<void> {
    const oldest = { starts: await this.#starts(owner), at: 0 };
    if ((await this.#chunk(owner, oldest)).every(isOver)) await this.#dropChunk(owner, oldest);
  }

  async #dropChunk(owner: string, place: Place): Promise<void> {
    const starts = place.starts.toSpliced(place.at, 1);
    await (starts.length > 0 ? this.#writeHead(owner, starts) : this.#shelf.delete(owner));
    await this.#shelf.delete(chunkKey(owner, startOf(place)));
  }

  async #starts(owner: string): Promise<readonly string[]> {
    return (await this.#read(owner, headSchema))?.starts ?? [];
  }

  async #chunk(owner: string, place: Place): Promise<TaskLine[]> {
    const chunk = await this.#read(chunkKey(owner, startOf(place)), chunkSchema);
    return withinRange(chunk?.lines ?? [], place);
  }

  async #read<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const value = await this.#shelf.get(key);
    if (value === undefined) return undefined;
    const { data } = schema.safeParse(value);
    if (data === undefined) await this.#quarantine.take(this.#shelf, key, value, 'cannot be read');
    return data;
  }

  #writeHead(owner: string, starts: readonly string[]): Promise<void> {
    return this.#shelf.put(owner, { starts });
  }

  #writeChunk(owner: string, start: string, lines: readonly TaskLine[]): Promise<void> {
    return this.#shelf.put(chunkKey(owner, start), { lines });
  }
}
