import type { KindSpecs, Task } from '../../tasks/task.ts';
import { lineOf, type TaskLine } from '../../tasks/task-line.ts';
import { chunkKey, chunkSchema, headSchema, isSameLine, LineIndex, startOf, withinRange } from '../line-index.ts';
import { type Quarantine, Rows, UNREADABLE } from '../rows.ts';
import type { Shelf } from '../shelf.ts';
import { ownersOf } from '../task-page.ts';
import { counted, type Look } from './looks.ts';

type Row = { starts: string[] } | { lines: TaskLine[] };

/** Holds every list against the tasks, and writes anew those that differ. */
export async function lookAtLines(
  shelf: Shelf,
  quarantine: Quarantine,
  { tasks, specs }: { tasks: ReadonlyMap<string, Task>; specs: KindSpecs },
): Promise<Look> {
  const index = new LineIndex(shelf, quarantine, specs);
  const lines = chunkSchema(specs);
  const readRow = (_key: string, value: unknown): Row | string =>
    headSchema.safeParse(value).data ?? lines.safeParse(value).data ?? UNREADABLE;
  const { good: rows, bad, setAside } = await new Rows(shelf, quarantine, readRow).sorted();
  const right = rightLists(tasks);
  const heads = [...rows].filter(([, row]) => 'starts' in row).map(([key]) => key);
  const named = new Set<string>();
  const wrong: string[] = [];
  const count = { missing: 0, dangling: 0, outdated: 0 };
  for (const owner of new Set([...heads, ...right.keys()])) {
    const listed = believed(owner, rows, named);
    const difference = differences(listed, right.get(owner) ?? new Map());
    count.missing += difference.missing;
    count.dangling += difference.dangling;
    count.outdated += difference.outdated;
    if (difference.missing + difference.dangling + difference.outdated > 0) wrong.push(owner);
  }
  const astray = [...rows.keys()].filter((key) => !named.has(key));
  return {
    findings: counted({
      unreadable: bad,
      'line-missing': count.missing,
      'line-dangling': count.dangling,
      'line-outdated': count.outdated,
      'row-astray': astray.length,
    }),
    repair: async () => {
      await setAside();
      await shelf.delete(...astray);
      for (const owner of wrong) await index.rewrite(owner, [...(right.get(owner)?.values() ?? [])]);
    },
  };
}

function rightLists(tasks: ReadonlyMap<string, Task>): Map<string, Map<string, TaskLine>> {
  const lists = new Map<string, Map<string, TaskLine>>();
  for (const task of tasks.values()) {
    for (const owner of ownersOf(task)) {
      const list = lists.get(owner) ?? new Map<string, TaskLine>();
      lists.set(owner, list.set(task.id, lineOf(task)));
    }
  }
  return lists;
}

/** The lines as a page would show them; marks the rows that they stand in. */
function believed(owner: string, rows: ReadonlyMap<string, Row>, named: Set<string>): TaskLine[] {
  const head = rows.get(owner);
  if (!head || !('starts' in head)) return [];
  named.add(owner);
  return head.starts.flatMap((_, at) => {
    const place = { starts: head.starts, at };
    const key = chunkKey(owner, startOf(place));
    const chunk = rows.get(key);
    named.add(key);
    return chunk && 'lines' in chunk ? withinRange(chunk.lines, place) : [];
  });
}

function differences(listed: readonly TaskLine[], right: ReadonlyMap<string, TaskLine>) {
  const ids = new Set(listed.map(({ id }) => id));
  const isOutdated = (line: TaskLine): boolean => {
    const rightLine = right.get(line.id);
    // An unsettled line only points at its task, so it may be older.
    const mayDiffer = line.settledAt === undefined && rightLine?.settledAt === undefined;
    return rightLine !== undefined && !mayDiffer && !isSameLine(line, rightLine);
  };
  return {
    missing: [...right.keys()].filter((id) => !ids.has(id)).length,
    dangling: listed.filter(({ id }) => !right.has(id)).length + (listed.length - ids.size),
    outdated: listed.filter(isOutdated).length,
  };
}
