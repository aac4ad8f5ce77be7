import { z } from 'zod';
import { isKind, type KindSpecs, type TaskKind, taskStates } from '../tasks/task.ts';
import type { TaskLine } from '../tasks/task-line.ts';
import { fitting, type Quarantine, Rows } from './rows.ts';
import type { Shelf } from './shelf.ts';

/** Enough that a page seldom needs a second row, and few enough that adding a line writes little (some 25 KB). */
const LINES_A_CHUNK = 100;

const line = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(taskStates),
  requesterId: z.string(),
  guildId: z.string().optional(),
  isPrivate: z.boolean(),
  summary: z.string(),
  createdAt: z.number(),
  settledAt: z.number().optional(),
});

/** Row `<owner>`: the first id of each chunk, in order. A chunk holds the lines from there up to the next chunk's first. */
export const headSchema = z.object({ starts: z.array(z.string()).min(1) });
/** Row `<owner>:<first id>`. */
export const chunkSchema = (specs: KindSpecs) =>
  z.object({ lines: z.array(line.extend({ kind: z.custom<TaskKind>((name) => isKind(name, specs)) })) });
type Head = z.output<typeof headSchema>;
interface Chunk {
  lines: TaskLine[];
}

interface Place {
  starts: readonly string[];
  at: number;
}

/** The last chunk that begins at or before the id; none where the id is older than all. */
function placeOf(id: string, starts: readonly string[]): Place | undefined {
  const at = starts.findLastIndex((start) => start <= id);
  return at === -1 ? undefined : { starts, at };
}

export const startOf = ({ starts, at }: Place): string => starts[at] ?? '';

export const chunkKey = (owner: string, start: string): string => `${owner}:${start}`;

/** A crash while a chunk was split leaves lines behind which the next chunk holds as well: those are not believed. */
export function withinRange(lines: readonly TaskLine[], place: Place): TaskLine[] {
  const next = place.starts[place.at + 1];
  return lines.filter(({ id }) => id >= startOf(place) && (next === undefined || id < next));
}

const inOrder = (lines: readonly TaskLine[]): TaskLine[] => lines.toSorted((a, b) => (a.id < b.id ? -1 : 1));

export function isSameLine(known: TaskLine, other: TaskLine): boolean {
  return JSON.stringify(line.parse(known)) === JSON.stringify(line.parse(other));
}

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
  readonly #heads: Rows<Head>;
  readonly #chunks: Rows<Chunk>;

  constructor(shelf: Shelf, quarantine: Quarantine, specs: KindSpecs) {
    this.#shelf = shelf;
    this.#heads = new Rows(shelf, quarantine, fitting(headSchema));
    this.#chunks = new Rows(shelf, quarantine, fitting(chunkSchema(specs)));
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

  /** Chunk by chunk, newest first, from the newest line that is older than `stateBefore`. */
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
    return (await this.#heads.get(owner))?.starts ?? [];
  }

  async #chunk(owner: string, place: Place): Promise<TaskLine[]> {
    const chunk = await this.#chunks.get(chunkKey(owner, startOf(place)));
    return withinRange(chunk?.lines ?? [], place);
  }

  #writeHead(owner: string, starts: readonly string[]): Promise<void> {
    return this.#shelf.put(owner, { starts });
  }

  #writeChunk(owner: string, start: string, lines: readonly TaskLine[]): Promise<void> {
    return this.#shelf.put(chunkKey(owner, start), { lines });
  }
}
