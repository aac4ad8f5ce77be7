import { z } from 'zod';
import { taskKinds, taskStates } from '../tasks/task.ts';
import type { TaskLine } from '../tasks/task-line.ts';

/** Enough that a page seldom needs a second row, and few enough that adding a line writes little (some 25 KB). */
export const LINES_A_CHUNK = 100;

const line: z.ZodType<TaskLine> = z.object({
  id: z.string(),
  kind: z.enum(taskKinds),
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
export const chunkSchema = z.object({ lines: z.array(line) });

export interface Place {
  starts: readonly string[];
  at: number;
}

/** The last chunk that begins at or before the id; none where the id is older than all. */
export function placeOf(id: string, starts: readonly string[]): Place | undefined {
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

export const inOrder = (lines: readonly TaskLine[]): TaskLine[] => lines.toSorted((a, b) => (a.id < b.id ? -1 : 1));

export function isSameLine(known: TaskLine, other: TaskLine): boolean {
  return JSON.stringify(line.parse(known)) === JSON.stringify(line.parse(other));
}
