import type { Task } from '../tasks/task.ts';
import { lineOf, type TaskLine } from '../tasks/task-line.ts';
import type { PageQuestion, TaskPage } from '../tasks/task-store.ts';

const member = (id: string): string => `member:${id}`;
const server = (id: string): string => `server:${id}`;

/** The lists that a task belongs to, members before servers: locks are taken in this order. */
export const ownersOf = ({ requesterId, guildId }: Pick<Task, 'requesterId' | 'guildId'>): string[] =>
  guildId === undefined ? [member(requesterId)] : [member(requesterId), server(guildId)];

export const ownerAskedFor = (of: PageQuestion['of']): string =>
  'memberId' in of ? member(of.memberId) : server(of.guildId);

interface Sources {
  /** Chunk by chunk, newest first. */
  lines: AsyncIterable<readonly TaskLine[]>;
  isOver(line: TaskLine): boolean;
  /** Another task represents it in lists. */
  isListedApart(line: TaskLine): boolean;
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Task>>;
}

export async function pageOf({ most, states, ...question }: PageQuestion, sources: Sources): Promise<TaskPage> {
  const isWanted = wanted(question);
  const found: TaskLine[] = [];
  for await (const chunk of sources.lines) {
    const isShown = (line: TaskLine) =>
      !(question.withoutParts && sources.isListedApart(line)) && !sources.isOver(line);
    const lines = chunk.filter((line) => isWanted(line) && isShown(line));
    const current = await asTheyAre(lines, sources);
    found.push(...current.filter(({ state }) => states === undefined || states.includes(state)));
    // One more than requested shows whether there is another page.
    if (found.length > most) break;
  }
  const lines = found.slice(0, most);
  return { lines, next: found.length > most ? lines.at(-1)?.id : undefined };
}

/** Matches by what never changes in a task, so that its summary is enough. */
function wanted(question: Omit<PageQuestion, 'most' | 'states'>) {
  const { kind, words = '', withoutPrivate = false } = question;
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return (line: TaskLine): boolean => {
    if (kind !== undefined && line.kind !== kind) return false;
    if (withoutPrivate && line.isPrivate) return false;
    const summary = line.summary.toLowerCase();
    return parts.every((part) => summary.includes(part));
  };
}

/** An unsettled summary may be older than its task, or have none after a crash: the task is authoritative. */
async function asTheyAre(lines: readonly TaskLine[], { find }: Sources): Promise<TaskLine[]> {
  const unsettled = lines.filter(({ settledAt }) => settledAt === undefined).map(({ id }) => id);
  const tasks = await find(unsettled);
  return lines.flatMap((line) => {
    if (line.settledAt !== undefined) return [line];
    const task = tasks.get(line.id);
    return task ? [lineOf(task)] : [];
  });
}
