import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { dayOf } from '../../lib/clock.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { tokens } from '../tasks/answer.ts';
import { amount } from '../tasks/estimate.ts';
import type { Task } from '../tasks/task.ts';
import { typeOf } from '../tasks/task-type.ts';

/**
 * reserved: not ended. unconfirmed: perhaps never accepted. refunded: without a result, or never accepted. waived: its result was refused by
 * moderation, so the server pays for it and the member does not.
 */
const standings = ['reserved', 'unconfirmed', 'settled', 'refunded', 'waived'] as const;
export type Standing = (typeof standings)[number];

/** Facts are added, never changed: the latest one is the current standing. */
const fact = z.object({
  standing: z.enum(standings),
  at: z.number(),
  /** The gateway's amount with `settled` and `waived`, the whole estimate with `reserved`. */
  amount: amount.optional(),
  /** The gateway's token count, at the end of an answer. */
  tokens: tokens.optional(),
});

/** Who used what, one entry per task. Erasure removes the member, their roles, the channel, the server and the task id. */
export const entrySchema = z.object({
  id: z.string(),
  at: z.number(),
  memberId: z.string().optional(),
  guildId: z.string().optional(),
  /** The member's roles that had limits in that server. */
  roleIds: z.array(z.string()).optional(),
  channelId: z.string().optional(),
  /** Set if only the member has installed the bot, so the server is not involved. */
  isDirect: z.literal(true).optional(),
  kind: z.string(),
  /** What members call the task, if it is not the kind: an upscale, for example. */
  type: z.string().optional(),
  model: z.string().optional(),
  facts: z.array(fact).min(1),
});

export type LedgerEntry = z.output<typeof entrySchema>;
export type Fact = LedgerEntry['facts'][number];

/** Keys start with the day, so a range of days is a range of keys. */
export const entryKey = ({ id, at }: Pick<LedgerEntry, 'id' | 'at'>): string => `${dayOf(at)}:${id}`;
export const taskEntryKey = ({ id, times }: Task): string => entryKey({ id, at: times.created });

export function createEntry(task: Task, roleIds: readonly string[] = []): LedgerEntry {
  const { id, times, requesterId: memberId, guildId, channelId, route, kind, model, estimate } = task;
  const at = times.created;
  const type = typeOf(task);
  return {
    id,
    at,
    memberId,
    guildId,
    channelId,
    isDirect: route.install === 'user' ? true : undefined,
    ...(roleIds.length > 0 && { roleIds: [...roleIds] }),
    kind,
    type: type === kind ? undefined : type,
    model,
    facts: [{ standing: 'reserved', at, amount: estimate?.amount }],
  };
}

/** Returns the same entry if it has that standing already. */
export function addFact(entry: LedgerEntry, fact: Fact): LedgerEntry {
  return standingOf(entry) === fact.standing ? entry : { ...entry, facts: [...entry.facts, fact] };
}

/** For an answer that continues: its reservation grows to this estimate. */
export function extendReservation(entry: LedgerEntry | undefined, amount: string | undefined, at: number): LedgerEntry {
  if (!entry || standingOf(entry) !== 'reserved') throw new Error('Only an open reservation can grow.');
  return amount === estimateOf(entry)
    ? entry
    : { ...entry, facts: [...entry.facts, { standing: 'reserved', at, amount }] };
}

/** The standing of a task. The task is authoritative, and the ledger only keeps it longer. */
export function factOfTask(task: Task): Fact {
  const standing = standingOfTask(task);
  const usedTokens = standing === 'settled' ? task.answer?.tokens : undefined;
  const amount = standing === 'settled' || standing === 'waived' ? task.cost : undefined;
  return { standing, at: task.times.ended ?? task.times.created, ...withoutUndefined({ amount, tokens: usedTokens }) };
}

function standingOfTask(task: Task): Standing {
  const { state, failure } = task;
  if (task.releasedAt !== undefined) return 'refunded';
  if (task.review?.outcome === 'deleted') return 'waived';
  // Any part of an answer has cost something, possibly even one that the bot did not receive.
  if (task.traits.isText && failure && hasCost(task)) return 'settled';
  if (state === 'ready' || state === 'delivered') return 'settled';
  // A dismissed request may have cost something, but that can no longer be determined, so the estimate counts.
  const isDismissed = state === 'cancelled' && failure?.cause === 'dismissed';
  if (isDismissed) return 'settled';
  if (state === 'expired' && failure?.cause === 'unconfirmed') return 'settled';
  // The member has repeated the request, and the first one may have been carried out as well, so its estimate counts.
  if (state === 'unconfirmed') return task.isRepeated ? 'settled' : 'unconfirmed';
  return state === 'cancelled' || state === 'failed' || state === 'expired' ? 'refunded' : 'reserved';
}

function hasCost({ text, answer, failure }: Task): boolean {
  if (failure?.cause === 'unconfirmed' || failure?.cause === 'dismissed') return false;
  const isCounted = answer?.tokens !== undefined || answer?.counted !== undefined;
  const hasRounds = answer !== undefined && answer.rounds.length > 0;
  return text !== undefined || isCounted || hasRounds || failure?.cause === 'interrupted';
}

export const standingOf = ({ facts }: LedgerEntry): Standing => facts.at(-1)?.standing ?? 'reserved';

/** The fact with the estimate, which may have grown. A fact that a repair added has none. */
const lastReservation = ({ facts }: LedgerEntry): Fact | undefined =>
  facts.findLast(({ standing, amount }) => standing === 'reserved' && amount !== undefined) ??
  facts.find(({ standing }) => standing === 'reserved');
const estimateOf = (entry: LedgerEntry): string | undefined => lastReservation(entry)?.amount;

const FINAL_STANDINGS: ReadonlySet<Standing> = new Set(['settled', 'waived']);

/** A reported amount is authoritative; the estimate only applies until one is known. */
export function amountOf(entry: LedgerEntry): { amount: string; isEstimate: boolean } | undefined {
  const reported = entry.facts.findLast(
    ({ standing, amount }) => FINAL_STANDINGS.has(standing) && amount !== undefined,
  )?.amount;
  const amount = reported ?? estimateOf(entry);
  return amount === undefined ? undefined : { amount, isEstimate: reported === undefined };
}

const IDENTITY_FIELDS = ['id', 'at', 'memberId', 'guildId', 'channelId', 'kind', 'model'] as const;

export function estimateAndCostOf(entry: LedgerEntry): { estimate: string; cost: string } | undefined {
  const currentAmount = amountOf(entry);
  const estimate = estimateOf(entry);
  if (!currentAmount || currentAmount.isEstimate || estimate === undefined) return undefined;
  return { estimate, cost: currentAmount.amount };
}

/** The entry as it should be according to the task; the same object if it is correct already. */
export function reconcileEntry(existing: LedgerEntry | undefined, task: Task): LedgerEntry {
  const newEntry = createEntry(task);
  const matchesTask = existing !== undefined && IDENTITY_FIELDS.every((name) => existing[name] === newEntry[name]);
  // Tasks do not store the roles of their owners.
  const keptFields = existing && { ...withoutUndefined({ roleIds: existing.roleIds }), facts: existing.facts };
  return addFact(matchesTask ? existing : { ...newEntry, ...keptFields }, factOfTask(task));
}

/** The entry with the estimate and the cost of its task; the same object if it has them already. */
export function withAmountsOf(entry: LedgerEntry, { estimate, cost }: Task): LedgerEntry {
  const reservation = lastReservation(entry);
  const facts = entry.facts.map((fact) => {
    const isEnd = FINAL_STANDINGS.has(fact.standing);
    const newAmount = isEnd ? cost : fact === reservation ? estimate?.amount : undefined;
    return newAmount === undefined || newAmount === fact.amount ? fact : { ...fact, amount: newAmount };
  });
  return facts.every((fact, index) => fact === entry.facts[index]) ? entry : { ...entry, facts };
}

/**
 * An entry without its task. If it is still reserved, the gateway never accepted the request, because accepted tasks are
 * kept until they end; only of one that cannot be read this is unknown, so its estimate counts. Other entries stay: tasks expire and are deleted.
 */
export function closeOrphan(entry: LedgerEntry, now: number, isUnreadable: boolean): LedgerEntry {
  if (standingOf(entry) !== 'reserved') return entry;
  return addFact(entry, { standing: isUnreadable ? 'settled' : 'refunded', at: now });
}

/** Whose entries to anonymize, up to when, and the secret for the new ids. */
export interface AnonymisationRequest {
  memberId: string;
  until: number;
  secret: string;
}

/**
 * The anonymous entry; always the same one, so a repeat after a crash counts nothing twice. Without the secret, the
 * original id cannot be found.
 */
export function anonymise({ id, at, kind, type, model, facts }: LedgerEntry, secret: string): LedgerEntry {
  const anonymousId = createHmac('sha256', secret).update(id).digest('hex').slice(0, 24);
  return { id: anonymousId, at, kind, ...withoutUndefined({ type, model }), facts };
}

/** The store of entries and tasks. Every method throws if the store fails. */
export interface EntryStore {
  find(key: string): Promise<LedgerEntry | undefined>;
  /** Serialized per key; an unchanged entry is not written. `isRepeatable`: a power cut may undo it, unless something else was written after it. */
  change(
    key: string,
    transition: (known: LedgerEntry | undefined) => LedgerEntry,
    isRepeatable?: boolean,
  ): Promise<void>;
  /** Moves an entry to another id; safe to repeat. */
  rename(entry: LedgerEntry, to: LedgerEntry): Promise<void>;
  /** Yields the entries from the first day to the last, both included, oldest first. */
  readRange(first: string, last: string): AsyncGenerator<LedgerEntry>;
  task(id: string): Promise<Task | undefined>;
  /** Whether a live task has a row that cannot be read. */
  isUnreadable(id: string): Promise<boolean>;
  /** The sums that an anonymous entry still counts in. */
  keepScopes(entry: LedgerEntry, scopes: readonly string[], ttlMs: number): Promise<void>;
  /** The kept sums of each anonymous entry, by the entry's key. */
  keptScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The day of the oldest entry that may still be open; empty if it is unknown. */
  openSince(): Promise<string>;
  setOpenSince(day: string): Promise<void>;
}
