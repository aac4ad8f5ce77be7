import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { budgetsAbout } from '../../money/budgets.ts';
import type { LedgerEntry } from '../../money/entry.ts';
import { hashedName } from '../../money/hashed-names.ts';
import { reportsAbout } from '../../safety/reports.ts';
import { rulesAbout } from '../../safety/rules.ts';
import { dropVoiceAudio } from '../../tasks/delivery-state.ts';
import { areResultsHidden, type Task } from '../../tasks/task.ts';
import type { PartitionRows } from '../other-partitions.ts';
import { preferencesAbout } from '../preferences.ts';
import { presetsAbout } from '../presets.ts';
import type { Erasures } from './erasures.ts';

/** A larger export is compressed, and refused if it is still too large. Discord's own limit may be much higher. */
const MAX_BYTES = 24 * 2 ** 20;

interface ExportFile extends PackedFile, ExportCounts {
  /** Releases the memory of the file. Only then does the next export start. */
  release(): void;
}

const MEMBER_FACTS = ['budgets', 'rules', 'reports', 'proposals', 'preferences', 'presets', 'drafts'] as const;
const PARTS = ['tasks', 'ledger', ...MEMBER_FACTS, 'pseudonym'] as const;

/** What a part of the file is, in the member's language. */
type Explain = (part: (typeof PARTS)[number]) => string;

type ErasureStates = Pick<Erasures, 'isUnderWay' | 'isUnderWayElsewhere'>;

/** Creates only one export at a time, so that no more than one is in memory. */
export function createExports(rowsOf: (memberId: string) => Promise<ExportedData>, erasures: ErasureStates) {
  const lock = new KeyedLock();
  const inProgress = new Set<string>();

  /** An export during an erasure would be neither the old state nor the new one. */
  async function* exportUnlessErased(
    memberId: string,
    counts: ExportCounts,
    explain?: Explain,
  ): AsyncGenerator<string> {
    const check = (): void => {
      if (erasures.isUnderWay(memberId)) throw new Refusal('refusals.exportDuringErasure');
    };
    const checkEverywhere = async (): Promise<void> => {
      check();
      if (await erasures.isUnderWayElsewhere(memberId)) throw new Refusal('refusals.exportDuringErasure');
    };
    await checkEverywhere();
    for await (const piece of exportText(await rowsOf(memberId), counts, explain)) {
      check();
      yield piece;
    }
    await checkEverywhere();
  }

  return {
    create(memberId: string, max: number, explain?: Explain): Promise<ExportFile> {
      const { promise, resolve, reject } = Promise.withResolvers<ExportFile>();
      if (inProgress.has(memberId)) reject(new Refusal('refusals.exportInProgress'));
      else {
        inProgress.add(memberId);
        const counts = { tasks: 0, entries: 0 };
        const pieces = exportUnlessErased(memberId, counts, explain);
        const make = async (): Promise<void> => {
          const file = await pack(pieces, Math.min(max, MAX_BYTES));
          await new Promise<void>((release) => resolve({ ...file, ...counts, release }));
        };
        const finish = (): unknown => inProgress.delete(memberId);
        void lock.run('one at a time', () => make().finally(finish)).catch(reject);
      }
      return promise;
    },
  };
}

export interface ExportedData {
  memberId: string;
  now: number;
  tasks: AsyncIterable<Task>;
  entries: AsyncIterable<LedgerEntry> | undefined;
  partitions: readonly PartitionRows[];
}

/** Reads what is stored about a member in one partition apart from tasks and usage. */
async function readMemberFacts(memberId: string, rows: PartitionRows) {
  const { budgets, rules, reports, proposals, preferences, presets, drafts, pseudonyms } = rows;
  const secret = (await rows.existingHashSecret()) ?? '';
  return {
    // What admins have decided about the member, and what the member has decided about others as an admin.
    budgets: budgetsAbout(memberId, await budgets.all(), (name) => hashedName(name, secret)),
    rules: rulesAbout(memberId, await rules.all()),
    reports: reportsAbout(memberId, await reports.all()),
    proposals: (await proposals.all()).filter((proposal) => proposal.memberId === memberId),
    preferences: await preferencesAbout(memberId, preferences),
    presets: await presetsAbout(memberId, presets),
    drafts: await drafts.startingWith(`${memberId}:`),
    pseudonym: (await pseudonyms.get({ memberId }))?.pseudonym,
  };
}

interface ExportCounts {
  tasks: number;
  entries: number;
}

/** SQLite responds synchronously, so a long run of rows would block the process. */
const ROWS_BETWEEN_PAUSES = 10;

/**
 * All data of a member as one JSON document, without secrets that would let others act as the member or the bot. It is written row by
 * row to save memory.
 */
export async function* exportText(
  { memberId, now, tasks, entries, partitions }: ExportedData,
  counts: ExportCounts,
  explain?: Explain,
): AsyncGenerator<string> {
  const explanations = explain && Object.fromEntries(PARTS.map((part) => [part, explain(part)]));
  const about = { memberId, exportedAt: new Date(now).toISOString(), ...explanations };
  yield `{\n  "about": ${indentJson(about, 2)},\n  "tasks": [`;
  for await (const task of tasks) {
    yield `${counts.tasks === 0 ? '' : ','}\n    ${indentJson(withoutSecrets(task), 4)}`;
    counts.tasks += 1;
    if (counts.tasks % ROWS_BETWEEN_PAUSES === 0) await setImmediate();
  }
  yield `${counts.tasks === 0 ? '' : '\n  '}],\n  "ledger": [`;
  for await (const entry of entries ?? []) {
    yield `${counts.entries === 0 ? '' : ','}\n    ${indentJson(entry, 4)}`;
    counts.entries += 1;
    if (counts.entries % ROWS_BETWEEN_PAUSES === 0) await setImmediate();
  }
  yield `${counts.entries === 0 ? '' : '\n  '}]`;
  const factsByPartition = await Promise.all(partitions.map((rows) => readMemberFacts(memberId, rows)));
  for (const name of MEMBER_FACTS)
    yield `,\n  "${name}": ${indentJson(
      factsByPartition.flatMap<object>((one) => one[name]),
      2,
    )}`;
  const pseudonyms = [...new Set(factsByPartition.flatMap(({ pseudonym }) => pseudonym ?? []))];
  const pseudonymValue = pseudonyms.length > 1 ? pseudonyms : (pseudonyms[0] ?? null);
  yield `,\n  "pseudonym": ${JSON.stringify(pseudonymValue)}\n}\n`;
}

/** JSON strings contain no line breaks of their own. */
const indentJson = (value: object, width: number): string =>
  JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(width)}`);

/** Audio that still has to be posted is left out as well, because it can be found in Discord. */
function withoutSecrets(task: Task): Record<string, unknown> {
  const { idempotencyKey: _, traits: _traits, route, ...rest } = dropVoiceAudio(task);
  const { token: __, ...routeWithoutToken } = route;
  const { media, preview, ...facts } = rest;
  return { ...facts, route: routeWithoutToken, ...(!areResultsHidden(task) && { media, preview }) };
}

interface PackedFile {
  bytes: Buffer;
  isCompressed: boolean;
}

/** A text of more than `max` bytes is compressed while it arrives, and refused if it is still too large. */
async function pack(pieces: AsyncGenerator<string>, max: number): Promise<PackedFile> {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= max; ) {
    const { value, done } = await pieces.next();
    if (done) return { bytes: Buffer.concat(chunks), isCompressed: false };
    const chunk = Buffer.from(value);
    size += chunk.length;
    chunks.push(chunk);
  }
  const compressed: Buffer[] = [];
  await pipeline(
    async function* () {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
      yield* pieces;
    },
    createGzip(),
    async (parts: AsyncIterable<Buffer>) => {
      let size = 0;
      for await (const part of parts) {
        size += part.length;
        if (size > max) throw new Refusal('refusals.exportTooLarge');
        compressed.push(part);
      }
    },
  );
  return { bytes: Buffer.concat(compressed), isCompressed: true };
}
