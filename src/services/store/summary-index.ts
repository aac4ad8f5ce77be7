import { z } from 'zod';
import { isKind, type KindSpecs, type Task, type TaskKind } from '../tasks/task.ts';
import type { PageQuery, TaskPage } from '../tasks/task-store.ts';
import { summaryOf, type TaskSummary, taskSummary } from '../tasks/task-summary.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';

/** So many that a page rarely needs a second row, and so few that a write stays small (about 25 KB). */
const ENTRIES_PER_CHUNK = 100;

/** Row `<owner>`: the first id of each chunk, in order. A chunk holds the summaries from there to the next chunk's first. */
export const headSchema = z.object({ starts: z.array(z.string()).min(1) });
/** Row `<owner>:<first id>`. */
export const chunkSchema = (specs: KindSpecs) =>
  z.object({ lines: z.array(taskSummary.extend({ kind: z.custom<TaskKind>((name) => isKind(name, specs)) })) });
type Head = z.output<typeof headSchema>;
type Chunk = z.output<ReturnType<typeof chunkSchema>>;

interface Place {
  starts: readonly string[];
  at: number;
}

/** The last chunk that starts at or before the id; undefined if the id is older than all of them. */
function placeOf(id: string, starts: readonly string[]): Place | undefined {
  const at = starts.findLastIndex((start) => start <= id);
  return at === -1 ? undefined : { starts, at };
}

export const chunkStart = ({ starts, at }: Place): string => starts[at] ?? '';

export const chunkKey = (owner: string, start: string): string => `${owner}:${start}`;

/** After a crash during a split, entries may also be in the next chunk: those out of range are ignored. */
export function summariesInRange(lines: readonly TaskSummary[], place: Place): TaskSummary[] {
  const next = place.starts[place.at + 1];
  return lines.filter(({ id }) => id >= chunkStart(place) && (next === undefined || id < next));
}

const inOrder = (lines: readonly TaskSummary[]): TaskSummary[] => lines.toSorted((a, b) => (a.id < b.id ? -1 : 1));

export const isSameSummary = (known: TaskSummary, other: TaskSummary): boolean =>
  JSON.stringify(taskSummary.parse(known)) === JSON.stringify(taskSummary.parse(other));

/** Yields the chunks of a list and then its head, from its entries in the order of their ids. */
export function rowsOfList(owner: string, lines: readonly { id: string }[]): { key: string; value: object }[] {
  const chunks: { id: string }[][] = [];
  for (let at = 0; at < lines.length; at += ENTRIES_PER_CHUNK) chunks.push(lines.slice(at, at + ENTRIES_PER_CHUNK));
  const starts = chunks.map(([first]) => first?.id ?? '');
  const rows = chunks.map((chunk, at) => ({ key: chunkKey(owner, starts[at] ?? ''), value: { lines: chunk } }));
  return starts.length > 0 ? [...rows, { key: owner, value: { starts } }] : [];
}

/** Sorts after every letter that a task's id may start with. */
const AFTER_IDS = '~';

/**
 * The summaries of each owner (a member, a server) in the order of their ids, in chunks. Calls for the same owner must not overlap.
 *
 * Writes are ordered so that a crash after any of them leaves a valid list: a chunk that is not in its head is ignored, and so are entries outside of a
 * chunk's range.
 */
export class SummaryIndex {
  readonly #namespace: Namespace;
  readonly #heads: Rows<Head>;
  readonly #chunks: Rows<Chunk>;

  constructor(namespace: Namespace, quarantine: Quarantine, specs: KindSpecs) {
    this.#namespace = namespace;
    this.#heads = new Rows(namespace, quarantine, parseWith(headSchema));
    this.#chunks = new Rows(namespace, quarantine, parseWith(chunkSchema(specs)));
  }

  /** The first id of each chunk; empty if there is no list. */
  async starts(owner: string): Promise<readonly string[]> {
    return (await this.#heads.get(owner))?.starts ?? [];
  }

  async put(owner: string, added: TaskSummary, isOver: (line: TaskSummary) => boolean): Promise<void> {
    const starts = await this.starts(owner);
    const place = placeOf(added.id, starts);
    if (!place) {
      await this.#writeChunk(owner, added.id, [added]);
      return this.#writeHead(owner, [added.id, ...starts]);
    }
    const before = await this.#chunk(owner, place);
    const known = before.find(({ id }) => id === added.id);
    if (known && isSameSummary(known, added)) return;
    const lines = inOrder([...before.filter((line) => line !== known), added]);
    if (lines.length <= ENTRIES_PER_CHUNK) return this.#writeChunk(owner, chunkStart(place), lines);
    await this.#split(owner, place, lines, added);
    await this.#dropOldest(owner, isOver);
  }

  async remove(owner: string, id: string): Promise<void> {
    const place = placeOf(id, await this.starts(owner));
    if (!place) return;
    const before = await this.#chunk(owner, place);
    const lines = before.filter((known) => known.id !== id);
    if (lines.length === before.length) return;
    await (lines.length > 0 ? this.#writeChunk(owner, chunkStart(place), lines) : this.#dropChunk(owner, place));
  }

  /** Removes chunks that are in no head, left by a crash. */
  async removeStrayChunks(owner: string): Promise<void> {
    const named = new Set((await this.starts(owner)).map((start) => chunkKey(owner, start)));
    const astray: string[] = [];
    for await (const [key] of this.#namespace.between(chunkKey(owner, ''), chunkKey(owner, AFTER_IDS)))
      if (!named.has(key)) astray.push(key);
    await this.#namespace.delete(...astray);
  }

  /** Yields chunk by chunk, newest first, starting below `before`. */
  async *newestFirst(owner: string, before?: string): AsyncGenerator<TaskSummary[]> {
    const starts = await this.starts(owner);
    const first = before === undefined ? starts.length - 1 : placeOf(before, starts)?.at;
    for (let at = first ?? -1; at >= 0; at--) {
      const lines = await this.#chunk(owner, { starts, at });
      yield lines.filter(({ id }) => before === undefined || id < before).reverse();
    }
  }

  /** The head is deleted first and written last, so that a partial list is never taken for a complete one. */
  async rewrite(owner: string, lines: readonly TaskSummary[]): Promise<void> {
    const before = await this.starts(owner);
    await this.#namespace.delete(owner, ...before.map((start) => chunkKey(owner, start)));
    for (const { key, value } of rowsOfList(owner, inOrder(lines))) await this.#namespace.put(key, value);
  }

  /** The upper part is written before the head names it, and removed from the lower one afterwards. */
  async #split(owner: string, place: Place, lines: readonly TaskSummary[], added: TaskSummary): Promise<void> {
    const isNewest = lines.at(-1) === added;
    const cut = isNewest ? lines.length - 1 : Math.floor(lines.length / 2);
    const [lower, upper] = [lines.slice(0, cut), lines.slice(cut)];
    const start = upper[0]?.id ?? added.id;
    await this.#writeChunk(owner, start, upper);
    await this.#writeHead(owner, place.starts.toSpliced(place.at + 1, 0, start));
    if (!isNewest) await this.#writeChunk(owner, chunkStart(place), lower);
  }

  /** Runs with each new chunk, so that an index does not grow forever. */
  async #dropOldest(owner: string, isOver: (line: TaskSummary) => boolean): Promise<void> {
    const oldest = { starts: await this.starts(owner), at: 0 };
    if ((await this.#chunk(owner, oldest)).every(isOver)) await this.#dropChunk(owner, oldest);
  }

  async #dropChunk(owner: string, place: Place): Promise<void> {
    const starts = place.starts.toSpliced(place.at, 1);
    await (starts.length > 0 ? this.#writeHead(owner, starts) : this.#namespace.delete(owner));
    await this.#namespace.delete(chunkKey(owner, chunkStart(place)));
  }

  async #chunk(owner: string, place: Place): Promise<TaskSummary[]> {
    const chunk = await this.#chunks.get(chunkKey(owner, chunkStart(place)));
    return summariesInRange(chunk?.lines ?? [], place);
  }

  #writeHead(owner: string, starts: readonly string[]): Promise<void> {
    return this.#namespace.put(owner, { starts });
  }

  #writeChunk(owner: string, start: string, lines: readonly TaskSummary[]): Promise<void> {
    return this.#namespace.put(chunkKey(owner, start), { lines });
  }
}

const member = (id: string): string => `member:${id}`;
const server = (id: string): string => `server:${id}`;

/** The lists that a task belongs to, members before servers: locks are taken in this order. */
export const listOwners = ({ requesterId, guildId }: Pick<Task, 'requesterId' | 'guildId'>): string[] =>
  guildId === undefined ? [member(requesterId)] : [member(requesterId), server(guildId)];

export const listOwner = (of: PageQuery['of']): string => ('memberId' in of ? member(of.memberId) : server(of.guildId));

interface Sources {
  lines: AsyncIterable<readonly TaskSummary[]>;
  isOver(line: TaskSummary): boolean;
  /** Another task represents it in lists. */
  isListedApart(line: TaskSummary): boolean;
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Task>>;
}

export async function readPage({ max, states, ...query }: PageQuery, sources: Sources): Promise<TaskPage> {
  const isWanted = matcherOf(query);
  const found: TaskSummary[] = [];
  for await (const chunk of sources.lines) {
    const isShown = (line: TaskSummary) =>
      !(query.withoutParts && sources.isListedApart(line)) && !sources.isOver(line);
    const lines = chunk.filter((line) => isWanted(line) && isShown(line));
    const current = await withCurrentState(lines, sources);
    found.push(...current.filter(({ state }) => states === undefined || states.includes(state)));
    // One more than requested shows whether there is another page.
    if (found.length > max) break;
  }
  const lines = found.slice(0, max);
  return { summaries: lines, next: found.length > max ? lines.at(-1)?.id : undefined };
}

/** Matches by properties that never change in a task, so that its summary is enough. */
function matcherOf(query: Omit<PageQuery, 'max' | 'states'>) {
  const { kind, words = '', withoutPrivate = false } = query;
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return (line: TaskSummary): boolean => {
    if (kind !== undefined && line.kind !== kind) return false;
    if (withoutPrivate && line.isPrivate) return false;
    const summary = line.summary.toLowerCase();
    return parts.every((part) => summary.includes(part));
  };
}

/** An unsettled summary may be older than its task, or have no task after a crash; the task is authoritative. */
async function withCurrentState(lines: readonly TaskSummary[], { find }: Sources): Promise<TaskSummary[]> {
  const unsettled = lines.filter(({ settledAt }) => settledAt === undefined).map(({ id }) => id);
  const tasks = await find(unsettled);
  return lines.flatMap((line) => {
    if (line.settledAt !== undefined) return [line];
    const task = tasks.get(line.id);
    return task ? [summaryOf(task)] : [];
  });
}
