import { randomBytes, randomUUID } from 'node:crypto';
import { kindSpecs } from '../../src/commands/index.ts';
import { dayOf, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { readSnapshot } from '../../src/services/gateway/read/reader.ts';
import type { Snapshot } from '../../src/services/gateway/snapshot.ts';
import { createEntry, entryKey } from '../../src/services/money/entry.ts';
import { openNamespaces } from '../../src/services/store/namespaces.ts';
import { openStore } from '../../src/services/store/open-store.ts';
import { ledgerMark } from '../../src/services/store/rows/marks.ts';
import { SqliteBackend } from '../../src/services/store/rows/sqlite.ts';
import { summaryKeys } from '../../src/services/store/rows/summary-index.ts';
import { toRecord } from '../../src/services/store/rows/task-rows.ts';
import { advance } from '../../src/services/tasks/advance.ts';
import { dropExpiredToken } from '../../src/services/tasks/delivery-state.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { createTaskId } from '../../src/services/tasks/task-id.ts';
import { summaryOf, type TaskSummary } from '../../src/services/tasks/task-summary.ts';
import { createTask, markAccepted, markOverdue } from '../../src/services/tasks/transitions.ts';
import { PROMPT, responseFor } from './answer.ts';

export interface StoreContent {
  tasks: number;
  /** How long ago the tasks were requested. */
  ageMs: number;
  /** Whether the tokens expired while the bot was stopped, so that the tasks still have them. */
  hasExpiredTokens?: boolean;
}

const ROWS_AT_ONCE = 1_000;
const GUILDS = 200;
const MEMBERS = 2_500;
const TOKEN_MS = 15 * 60_000;
const OVERDUE_AFTER_MS = 5 * 60_000;

/**
 * Fills a store as the bot leaves it behind. The rows are written many at a time, because ten thousand single writes, each flushed to disk, take
 * minutes. The lists of `/tasks` are omitted, because they are not read at startup.
 */
export async function fillStore(file: string, content: StoreContent): Promise<void> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  // Opened once as the bot opens it, so that the file is marked as the bot's store.
  await (
    await openStore({ url: `sqlite://${file}`, scheme: 'sqlite' }, { specs: kindSpecs, log, clock: systemClock })
  ).close();
  const connection = new SqliteBackend(file);
  const { live, ledger, meta } = openNamespaces(connection);
  const days: string[] = [];
  for (let offset = 0; offset < content.tasks; offset += ROWS_AT_ONCE) {
    const tasks = Array.from({ length: Math.min(ROWS_AT_ONCE, content.tasks - offset) }, (_, index) =>
      runningTask(offset + index, content),
    );
    await live.putMany(tasks.map((task) => ({ key: task.id, value: toRecord(task) })));
    const entries = tasks.map((task) => createEntry(task));
    await ledger.putMany(entries.map((entry) => ({ key: entryKey(entry), value: entry })));
    days.push(...entries.map(({ at }) => dayOf(at)));
  }
  const [openSince] = days.sort();
  if (openSince !== undefined) await ledgerMark(meta).write({ openSince });
  connection.close();
}

/** The rows of tasks in the lists of `/tasks`. */
export const summaryEntries = (tasks: readonly Task[]): { key: string; value: TaskSummary }[] =>
  tasks.flatMap((task) => summaryKeys(task).map((key) => ({ key, value: summaryOf(task) })));

/** The gateway's id for the task with this number. */
export const remoteIdOf = (number: number): string => String(1_760_000_000_000_000 + number);

/** Makes a task from a request and the stub's response, with the bot's own transitions. */
export function runningTask(number: number, { ageMs, hasExpiredTokens = false }: Omit<StoreContent, 'tasks'>): Task {
  const now = Date.now();
  const createdAt = now - ageMs;
  const remoteId = remoteIdOf(number);
  const message = { channelId: snowflake(3, number % (GUILDS * 5)), id: snowflake(4, number) };
  const submitting = createTask(
    {
      kind: 'imagine',
      request: { prompt: PROMPT },
      requesterId: snowflake(1, number % MEMBERS),
      guildId: snowflake(2, number % GUILDS),
      channelId: message.channelId,
      message,
      route: {
        applicationId: snowflake(5, 0),
        token: randomBytes(160).toString('base64url'),
        tokenExpiresAt: createdAt + TOKEN_MS,
        isPrivate: false,
        install: 'guild',
        mayPost: true,
        uploadLimit: 10 * 2 ** 20,
        locale: 'en-US',
      },
    },
    {
      id: createTaskId(createdAt),
      traits: kindSpecs.imagine.traits,
      idempotencyKey: randomUUID(),
      durationKey: 'imagine',
      now: createdAt,
    },
  );
  const submission = { remoteId, needsInput: false, finalPrompt: undefined, queuedBehind: undefined };
  const running = advance(
    markAccepted(submitting, submission, createdAt),
    snapshotOf(remoteId),
    Math.min(now, createdAt + 60_000),
  );
  const agedTask = ageMs >= OVERDUE_AFTER_MS ? markOverdue(running, createdAt + OVERDUE_AFTER_MS) : running;
  return hasExpiredTokens ? agedTask : dropExpiredToken(agedTask, now);
}

const context = { base: new URL('https://gateway.example'), imgxPath: '/imgx', now: 0 };
const ignoredEvents = { onUnknownStatus: () => undefined, onFoundBySearch: () => undefined };

function snapshotOf(remoteId: string): Snapshot {
  return readSnapshot('imgx', JSON.parse(responseFor(remoteId)), context, ignoredEvents);
}

/** An id that is as long as Discord's. */
const snowflake = (kind: number, number: number): string => `${kind}${String(number).padStart(18, '0')}`;
