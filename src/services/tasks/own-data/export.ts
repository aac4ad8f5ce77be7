import { setImmediate } from 'node:timers/promises';
import type { Entry } from '../../ledger/entry.ts';
import type { Task } from '../task.ts';
import { voiceShown } from '../transitions.ts';

interface Exported {
  memberId: string;
  now: number;
  tasks: AsyncIterable<Task>;
  entries: AsyncIterable<Entry> | undefined;
}

/** How many rows of each kind have been told so far. */
export interface ExportCounts {
  tasks: number;
  entries: number;
}

/** SQLite answers at once, so a long row of rows would keep everything else in the process waiting. */
const ROWS_AT_ONCE = 10;

/**
 * What a member may carry away: everything that is stored about them, without what lets others act in their name or the bot's. It is one
 * JSON document, told row by row, so that it never lies in memory as a whole.
 */
export async function* exportText(
  { memberId, now, tasks, entries }: Exported,
  counts: ExportCounts,
): AsyncGenerator<string> {
  const about = {
    memberId,
    exportedAt: new Date(now).toISOString(),
    tasks: 'Everything you asked for, newest first, with its results as addresses. Times are milliseconds since 1970.',
    ledger: 'What was counted as used by you, oldest first. Amounts are decimal text.',
  };
  yield `{\n  "about": ${indented(about, 2)},\n  "tasks": [`;
  for await (const task of tasks) {
    yield `${counts.tasks === 0 ? '' : ','}\n    ${indented(withoutSecrets(task), 4)}`;
    counts.tasks += 1;
    if (counts.tasks % ROWS_AT_ONCE === 0) await setImmediate();
  }
  yield `${counts.tasks === 0 ? '' : '\n  '}],\n  "ledger": [`;
  for await (const entry of entries ?? []) {
    yield `${counts.entries === 0 ? '' : ','}\n    ${indented(entry, 4)}`;
    counts.entries += 1;
    if (counts.entries % ROWS_AT_ONCE === 0) await setImmediate();
  }
  yield `${counts.entries === 0 ? '' : '\n  '}]\n}\n`;
}

/** No text in JSON holds an end of line of its own. */
const indented = (value: object, by: number): string =>
  JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(by)}`);

/** Nor sound on its way to Discord, which is where it is found. */
function withoutSecrets(task: Task): Record<string, unknown> {
  const { idempotencyKey: _, route, ...rest } = voiceShown(task);
  const { token: __, ...way } = route;
  return { ...rest, route: way };
}
