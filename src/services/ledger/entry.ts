import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { dayOf } from '../../lib/clock.ts';
import { tokens } from '../tasks/answer.ts';
import type { Task } from '../tasks/task.ts';

/** Decimal text by kind, or by `kind:model` where a model has a price of its own. */
export type Prices = Readonly<Record<string, string>>;

/**
 * reserved: ordered, and not yet at its end. unconfirmed: still reserved, for nobody knows whether the gateway took the order. settled: it came
 * to a result. refunded: it came to none, or was never taken.
 */
const standings = ['reserved', 'unconfirmed', 'settled', 'refunded'] as const;
export type Standing = (typeof standings)[number];

/** What happened, and when. Facts are added, never changed: the latest one says where the entry stands. */
const fact = z.object({
  standing: z.enum(standings),
  at: z.number(),
  /** Decimal text. With `settled` it is what the gateway reported; with `reserved` it is what the operator's prices let expect. */
  amount: z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .optional(),
  /** With the end of an answer in words: what the gateway said that it took. */
  tokens: tokens.optional(),
});

/**
 * Who used what, once a task. The member, the channel and the task's id can go, when a member wants to be forgotten: what is left then is an
 * entry of nobody under an id that says nothing.
 */
export const entrySchema = z.object({
  id: z.string(),
  /** When it was ordered. */
  at: z.number(),
  memberId: z.string().optional(),
  guildId: z.string().optional(),
  channelId: z.string().optional(),
  kind: z.string(),
  model: z.string().optional(),
  facts: z.array(fact).min(1),
});

export type Entry = z.output<typeof entrySchema>;
export type Fact = Entry['facts'][number];

/** Entries lie by day, so that a range of days is a range of keys. */
export const keyOf = ({ id, at }: Pick<Entry, 'id' | 'at'>): string => `${dayOf(at)}:${id}`;
export const keyOfTask = ({ id, times }: Task): string => keyOf({ id, at: times.created });

/** The entry of an order of which nothing is known but that it was made. */
export function reserved(task: Task, prices: Prices): Entry {
  const { id, times, requesterId: memberId, guildId, channelId, kind, model } = task;
  const at = times.created;
  const amount = prices[`${kind}:${model ?? ''}`] ?? prices[kind];
  return { id, at, memberId, guildId, channelId, kind, model, facts: [{ standing: 'reserved', at, amount }] };
}

/** The same entry where it stands so already. */
export function withFact(entry: Entry, fact: Fact): Entry {
  return standingOf(entry) === fact.standing ? entry : { ...entry, facts: [...entry.facts, fact] };
}

/** What its task says of an entry: the task is the truth, and the ledger only remembers it for longer. */
export function factOf(task: Task): Fact {
  const standing = standingOfTask(task);
  const used = standing === 'settled' ? task.answer?.tokens : undefined;
  return { standing, at: task.times.ended ?? task.times.created, ...(used && { tokens: used }) };
}

function standingOfTask(task: Task): Standing {
  const { state, failure } = task;
  // The same order stands in the ledger under its successor.
  if (task.handedOver) return 'refunded';
  // The model has worked for whatever of an answer has come, however it ended, and may have where the bot no longer heard it.
  if (task.traits.isInWords && failure && hasCost(task)) return 'settled';
  switch (state) {
    case 'ready':
    case 'delivered':
      return 'settled';
    case 'unconfirmed':
      return 'unconfirmed';
    case 'cancelled':
      // A member who wants to hear no more of it knows no more than anybody else.
      return failure?.cause === 'dismissed' ? 'unconfirmed' : 'refunded';
    case 'failed':
    case 'expired':
      return 'refunded';
    default:
      return 'reserved';
  }
}

function hasCost({ text, answer, failure }: Task): boolean {
  if (failure?.cause === 'unconfirmed' || failure?.cause === 'dismissed') return false;
  const isCounted = answer?.tokens !== undefined || answer?.counted !== undefined;
  return text !== undefined || isCounted || failure?.cause === 'interrupted';
}

export const standingOf = ({ facts }: Entry): Standing => facts.at(-1)?.standing ?? 'reserved';

/** What was reported is authoritative; an estimate stands in for it only until then. */
export function amountOf({ facts }: Entry): { amount: string; isEstimate: boolean } | undefined {
  const reported = facts.findLast(({ standing, amount }) => standing === 'settled' && amount !== undefined)?.amount;
  const amount = reported ?? facts[0]?.amount;
  return amount === undefined ? undefined : { amount, isEstimate: reported === undefined };
}

const IDENTITY = ['id', 'at', 'memberId', 'guildId', 'channelId', 'kind', 'model'] as const;

/** The entry as its task says it should be; the very same one where it is right already. */
export function agreeing(known: Entry | undefined, task: Task, prices: Prices): Entry {
  const fresh = reserved(task, prices);
  const isOfTask = known !== undefined && IDENTITY.every((name) => known[name] === fresh[name]);
  return withFact(isOfTask ? known : { ...fresh, ...(known && { facts: known.facts }) }, factOf(task));
}

/**
 * An entry whose task is not there. Where it is still reserved the gateway never heard of the order, or refused it: a task that it has is
 * kept until its end is known. All others stay as they are, for tasks expire and are deleted.
 */
export function withoutTask(entry: Entry, now: number): Entry {
  return standingOf(entry) === 'reserved' ? withFact(entry, { standing: 'refunded', at: now }) : entry;
}

/** Whose entries become nobody's, and what the new ids are made with. */
export interface Forgetful {
  memberId: string;
  until: number;
  secret: string;
}

/**
 * What was used, and when, by nobody and nowhere. The same entry always becomes the same one, so that doing it again after a crash doubles
 * nothing; without the secret nobody finds the way back.
 */
export function nameless({ id, at, kind, model, facts }: Entry, secret: string): Entry {
  const other = createHmac('sha256', secret).update(id).digest('hex').slice(0, 24);
  return { id: other, at, kind, ...(model !== undefined && { model }), facts };
}

/** Where entries are kept, and the tasks they are made from. Every method throws where the store cannot do it. */
export interface Entries {
  find(key: string): Promise<Entry | undefined>;
  /** One at a time for each key; what stays the same is not written. */
  change(key: string, transition: (known: Entry | undefined) => Entry): Promise<void>;
  /** The same entry under another id; done twice it is as if it had been done once. */
  rename(entry: Entry, to: Entry): Promise<void>;
  /** Of the days from the first to the last, both included, oldest day first. */
  between(first: string, last: string): AsyncGenerator<Entry>;
  task(id: string): Promise<Task | undefined>;
  /** All that are still kept, live and finished. */
  tasks(): AsyncGenerator<Task>;
  /** The day of the oldest entry that may not have come to its end; undefined where no ledger was ever kept. */
  openSince(): Promise<string | undefined>;
  setOpenSince(day: string): Promise<void>;
}
