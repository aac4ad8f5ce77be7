import { z } from 'zod';
import { isKind, type KindSpecs, type TaskKind } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import type { PageQuery, TaskPage } from '../tasks/task-store.ts';
import { summaryOf, type TaskSummary, taskSummary } from '../tasks/task-summary.ts';
import { isTaskType, type TaskType } from '../tasks/task-type.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';

/** Enough that a page rarely needs a second row, and few enough that a write stays small (about 25 KB). */
const ENTRIES_PER_CHUNK = 100;

/** Row `<owner>`: the first id of each chunk, in order. A chunk contains the summaries from its first id up to that of the next chunk. */
export const headSchema = z.object({ starts: z.array(z.string()).min(1) });
/** Row `<owner>:<first id>`. */
export const chunkSchema = (specs: KindSpecs) =>
  z.object({
    lines: z.array(
      taskSummary.extend({
        kind: z.custom<TaskKind>((name) => isKind(name, specs)),
        type: z.custom<TaskType>((name) => isTaskType(name, specs)),
      }),
    ),
  });
type Head = z.output<typeof headSchema>;
type Chunk = z.output<ReturnType<typeof chunkSchema>>;

interface ChunkPosition {
  starts: readonly string[];
  index: number;
}

/** The last chunk that starts at or before the id; undefined if the id is older than all of them. */
function positionOf(id: string, starts: readonly string[]): ChunkPosition | undefined {
  const index = starts.findLastIndex((start) => start <= id);
  return index === -1 ? undefined : { starts, index };
}

export const chunkStart = ({ starts, index }: ChunkPosition): string => starts[index] ?? '';

export const chunkKey = (owner: string, start: string): string => `${owner}:${start}`;

/** After a crash during a split, entries may also be in the next chunk: those out of range are ignored. */
export function summariesInRange(summaries: readonly TaskSummary[], position: ChunkPosition): TaskSummary[] {
  const next = position.starts[position.index + 1];
  return summaries.filter(({ id }) => id >= chunkStart(position) && (next === undefined || id < next));
}

const sortById = (summaries: readonly TaskSummary[]): TaskSummary[] =>
  summaries.toSorted((a, b) => (a.id < b.id ? -1 : 1));

export const isSameSummary = (one: TaskSummary, other: TaskSummary): boolean =>
  JSON.stringify(taskSummary.parse(one)) === JSON.stringify(taskSummary.parse(other));

/** Returns the rows of a list: its chunks, then its head. The summaries must be in the order of their ids. */
export function rowsOfList(owner: string, summaries: readonly { id: string }[]): { key: string; value: object }[] {
  const chunks: { id: string }[][] = [];
  for (let index = 0; index < summaries.length; index += ENTRIES_PER_CHUNK)
    chunks.push(summaries.slice(index, index + ENTRIES_PER_CHUNK));
  const starts = chunks.map(([first]) => first?.id ?? '');
  const rows = chunks.map((chunk, index) => ({ key: chunkKey(owner, starts[index] ?? ''), value: { lines: chunk } }));
  return starts.length > 0 ? [...rows, { key: owner, value: { starts } }] : [];
}

/** Sorts after every character that a task's id may start with. */
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

  async put(owner: string, newSummary: TaskSummary, hasExpired: (summary: TaskSummary) => boolean): Promise<void> {
    const starts = await this.starts(owner);
    const position = positionOf(newSummary.id, starts);
    if (!position) {
      await this.#writeChunk(owner, newSummary.id, [newSummary]);
      return this.#writeHead(owner, [newSummary.id, ...starts]);
    }
    const previous = await this.#chunk(owner, position);
    const existing = previous.find(({ id }) => id === newSummary.id);
    if (existing && isSameSummary(existing, newSummary)) return;
    const summaries = sortById([...previous.filter((summary) => summary !== existing), newSummary]);
    if (summaries.length <= ENTRIES_PER_CHUNK) return this.#writeChunk(owner, chunkStart(position), summaries);
    await this.#split(owner, position, summaries, newSummary);
    await this.#dropOldest(owner, hasExpired);
  }

  async remove(owner: string, id: string): Promise<void> {
    const position = positionOf(id, await this.starts(owner));
    if (!position) return;
    const previous = await this.#chunk(owner, position);
    const summaries = previous.filter((known) => known.id !== id);
    if (summaries.length === previous.length) return;
    await (summaries.length > 0
      ? this.#writeChunk(owner, chunkStart(position), summaries)
      : this.#dropChunk(owner, position));
  }

  /** Removes chunks that no head refers to, which a crash may leave behind. */
  async removeStrayChunks(owner: string): Promise<void> {
    const referencedKeys = new Set((await this.starts(owner)).map((start) => chunkKey(owner, start)));
    const strayKeys: string[] = [];
    for await (const [key] of this.#namespace.between(chunkKey(owner, ''), chunkKey(owner, AFTER_IDS)))
      if (!referencedKeys.has(key)) strayKeys.push(key);
    await this.#namespace.delete(...strayKeys);
  }

  /** Yields chunk by chunk, newest first, starting below `beforeId`. */
  async *newestFirst(owner: string, beforeId?: string): AsyncGenerator<TaskSummary[]> {
    const starts = await this.starts(owner);
    const first = beforeId === undefined ? starts.length - 1 : positionOf(beforeId, starts)?.index;
    for (let index = first ?? -1; index >= 0; index--) {
      const summaries = await this.#chunk(owner, { starts, index });
      yield summaries.filter(({ id }) => beforeId === undefined || id < beforeId).reverse();
    }
  }

  /** The head is deleted first and written last, so that a partial list is never taken for a complete one. */
  async rewrite(owner: string, summaries: readonly TaskSummary[]): Promise<void> {
    const previous = await this.starts(owner);
    await this.#namespace.delete(owner, ...previous.map((start) => chunkKey(owner, start)));
    for (const { key, value } of rowsOfList(owner, sortById(summaries))) await this.#namespace.put(key, value);
  }

  /** The upper part is written before the head names it, and removed from the lower one afterwards. */
  async #split(
    owner: string,
    position: ChunkPosition,
    summaries: readonly TaskSummary[],
    newSummary: TaskSummary,
  ): Promise<void> {
    const isNewest = summaries.at(-1) === newSummary;
    const splitIndex = isNewest ? summaries.length - 1 : Math.floor(summaries.length / 2);
    const [lower, upper] = [summaries.slice(0, splitIndex), summaries.slice(splitIndex)];
    const start = upper[0]?.id ?? newSummary.id;
    await this.#writeChunk(owner, start, upper);
    await this.#writeHead(owner, position.starts.toSpliced(position.index + 1, 0, start));
    if (!isNewest) await this.#writeChunk(owner, chunkStart(position), lower);
  }

  /** Runs with each new chunk, so that an index does not grow forever. */
  async #dropOldest(owner: string, hasExpired: (summary: TaskSummary) => boolean): Promise<void> {
    const oldestPosition = { starts: await this.starts(owner), index: 0 };
    if ((await this.#chunk(owner, oldestPosition)).every(hasExpired)) await this.#dropChunk(owner, oldestPosition);
  }

  async #dropChunk(owner: string, position: ChunkPosition): Promise<void> {
    const starts = position.starts.toSpliced(position.index, 1);
    await (starts.length > 0 ? this.#writeHead(owner, starts) : this.#namespace.delete(owner));
    await this.#namespace.delete(chunkKey(owner, chunkStart(position)));
  }

  async #chunk(owner: string, position: ChunkPosition): Promise<TaskSummary[]> {
    const chunk = await this.#chunks.get(chunkKey(owner, chunkStart(position)));
    return summariesInRange(chunk?.lines ?? [], position);
  }

  #writeHead(owner: string, starts: readonly string[]): Promise<void> {
    return this.#namespace.put(owner, { starts });
  }

  #writeChunk(owner: string, start: string, summaries: readonly TaskSummary[]): Promise<void> {
    return this.#namespace.put(chunkKey(owner, start), { lines: summaries });
  }
}

const memberOwner = (id: string): string => `member:${id}`;
const serverOwner = (id: string): string => `server:${id}`;

/** The lists that a task belongs to, members before servers: locks are taken in this order. */
export const listOwners = ({ requesterId, guildId }: Pick<Task, 'requesterId' | 'guildId'>): string[] =>
  guildId === undefined ? [memberOwner(requesterId)] : [memberOwner(requesterId), serverOwner(guildId)];

export const listOwner = (target: PageQuery['of']): string =>
  'memberId' in target ? memberOwner(target.memberId) : serverOwner(target.guildId);

interface SummarySources {
  chunks: AsyncIterable<readonly TaskSummary[]>;
  hasExpired(summary: TaskSummary): boolean;
  /** Whether another task represents this one in lists. */
  isListedByParent(summary: TaskSummary): boolean;
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Task>>;
}

export async function readPage({ max, states, ...query }: PageQuery, sources: SummarySources): Promise<TaskPage> {
  const matches = createMatcher(query);
  const pageSummaries: TaskSummary[] = [];
  for await (const chunk of sources.chunks) {
    const isShown = (summary: TaskSummary) =>
      !(query.withoutParts && sources.isListedByParent(summary)) && !sources.hasExpired(summary);
    const summaries = chunk.filter((summary) => matches(summary) && isShown(summary));
    const current = await withCurrentState(summaries, sources);
    pageSummaries.push(...current.filter(({ state }) => states === undefined || states.includes(state)));
    // One more than requested shows whether there is another page.
    if (pageSummaries.length > max) break;
  }
  const summaries = pageSummaries.slice(0, max);
  return { summaries, next: pageSummaries.length > max ? summaries.at(-1)?.id : undefined };
}

/** Matches by properties that never change in a task, so that its summary is enough. */
function createMatcher(query: Omit<PageQuery, 'max' | 'states'>) {
  const { kinds, words = '', withoutPrivate = false } = query;
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return (summary: TaskSummary): boolean => {
    if (kinds && !kinds.includes(summary.kind)) return false;
    if (withoutPrivate && summary.isPrivate) return false;
    const text = summary.summary.toLowerCase();
    return terms.every((part) => text.includes(part));
  };
}

/** An unsettled summary may be older than its task, or have no task after a crash; the task is authoritative. */
async function withCurrentState(summaries: readonly TaskSummary[], { find }: SummarySources): Promise<TaskSummary[]> {
  const unsettledIds = summaries.filter(({ settledAt }) => settledAt === undefined).map(({ id }) => id);
  const tasks = await find(unsettledIds);
  return summaries.flatMap((summary) => {
    if (summary.settledAt !== undefined) return [summary];
    const task = tasks.get(summary.id);
    return task ? [summaryOf(task)] : [];
  });
}
