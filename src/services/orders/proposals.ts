import { z } from 'zod';
import { type Clock, DAY_MS } from '../../lib/clock.ts';
import { compare, sumOf } from '../../lib/decimals.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import type { Money } from '../money/open-money.ts';
import type { Removal } from '../safety/server-log.ts';
import { amount } from '../tasks/estimate.ts';
import { bucketWithin, type Partition } from '../tasks/homes.ts';
import { isKind, type KindSpecs, type TaskKind } from '../tasks/kind-spec.ts';
import type { MessageAddress } from '../tasks/task.ts';
import { createTaskId } from '../tasks/task-id.ts';
import type { OrderedRequest } from '../tasks/transitions.ts';
import type { Discord } from './discord.ts';

/** As long as the reply of an interaction can be edited. */
const PROPOSAL_TTL_MS = 15 * 60_000;
/** As long as a task: an expired question still shows the prompt, and is found here when its member deletes it. */
const RETENTION_MS = 400 * DAY_MS;

export type ProposedOrder = OrderedRequest<TaskKind> & { parentId?: string | undefined };

/** The orders of an earlier batch that another one submits again. */
export const retries = z.object({ batchId: z.string(), childIds: z.array(z.string()) });
export type Retries = z.output<typeof retries>;

/** Requests that are submitted together, once the member has confirmed them. */
export function proposalSchema(specs: KindSpecs) {
  const order = z
    .object({ kind: z.string(), request: z.unknown(), parentId: z.string().optional() })
    .transform(({ kind, request, parentId }, context): ProposedOrder => {
      const read = isKind(kind, specs) ? readOrder(kind, request, specs) : undefined;
      if (read) return { ...read, parentId };
      context.addIssue('The request cannot be read.');
      return z.NEVER;
    });
  return z.object({
    id: z.string(),
    memberId: z.string(),
    orders: z.array(order).min(1).readonly(),
    /** Their total estimated cost, as shown to the member; undefined if unknown. */
    price: amount.optional(),
    isUpperBound: z.literal(true).optional(),
    isLowerBound: z.literal(true).optional(),
    /** Whether each request gets its own message, and whether it is public. If undefined, the only request is shown in the confirmation message. */
    messages: z.enum(['public', 'private']).optional(),
    /** Set if the orders share one message, as a batch, and only the member sees the question. */
    batch: z
      .object({
        typed: z.string(),
        /** The request without any expansion. */
        asTyped: order.optional().catch(undefined),
        retries: retries.optional(),
      })
      .optional(),
    /** Set if the question is public and a moderator would have to decide about the results. */
    hidesPrompt: z.boolean().optional(),
    until: z.number(),
    /** The message that asks, if others can see it. */
    message: z.object({ channelId: z.string(), id: z.string(), guildId: z.string().optional() }).optional(),
  });
}
export type Proposal = z.output<ReturnType<typeof proposalSchema>>;

function readOrder<K extends TaskKind>(kind: K, stored: unknown, specs: KindSpecs): OrderedRequest<K> | undefined {
  const { request: schema } = specs[kind];
  const { data } = schema.safeParse(stored);
  return data && { kind, request: data };
}

type ProposalPrice = Pick<Proposal, 'price' | 'isUpperBound' | 'isLowerBound'>;

export type ProposalStore = StoredRows<Proposal, { id: string }>;

/** Requests that are only submitted once the member confirms them. They are stored, and removed before they are submitted. */
export class Proposals {
  readonly #store: ProposalStore;
  readonly #money: Money;
  readonly #discord: Discord;
  readonly #partition: Partition;
  readonly #clock: Clock;
  readonly #lock = new KeyedLock();

  constructor(store: ProposalStore, money: Money, discord: Discord, partition: Partition, clock: Clock) {
    this.#store = store;
    this.#money = money;
    this.#discord = discord;
    this.#partition = partition;
    this.#clock = clock;
  }

  /** Stores a proposal before the member is asked; under the same id if it replaces an earlier one. */
  async create(details: Omit<Proposal, 'id' | 'until' | keyof ProposalPrice>, id?: string): Promise<Proposal> {
    const now = this.#clock.now();
    const bucket = bucketWithin(details.memberId, this.#partition);
    const proposal = {
      ...details,
      id: id ?? createTaskId(now, bucket),
      ...this.#priceOf(details.orders),
      until: now + PROPOSAL_TTL_MS,
    };
    await this.#store.put(proposal, RETENTION_MS);
    return proposal;
  }

  /** The estimated cost of the requests together, if all prices are known. */
  #priceOf(orders: readonly OrderedRequest<TaskKind>[]): ProposalPrice {
    const estimates = orders.map((order) => this.#money.prices.estimateOf(order));
    return {
      price: estimates.includes(undefined) ? undefined : sumOf(estimates.flatMap((one) => one?.amount ?? [])),
      isUpperBound: estimates.some((one) => one?.isUpperBound) || undefined,
      isLowerBound: estimates.some((one) => one?.isLowerBound) || undefined,
    };
  }

  /** The price above which this server asks for confirmation, if the request exceeds it or may do so. */
  limitExceededBy(order: OrderedRequest<TaskKind>, guildId: string | undefined): string | undefined {
    const limit = guildId === undefined ? undefined : this.#money.budgets.get(guildId).confirmAbove;
    if (limit === undefined) return undefined;
    const { price, isLowerBound } = this.#priceOf([order]);
    return price !== undefined && (isLowerBound || compare(price, limit) > 0) ? limit : undefined;
  }

  /** Whether a proposal now costs more than the price that the member was shown. */
  hasRisen({ orders, price }: Proposal): boolean {
    const { price: currentPrice } = this.#priceOf(orders);
    return currentPrice !== undefined && (price === undefined || compare(currentPrice, price) > 0);
  }

  hasExpired({ until }: Proposal): boolean {
    return until <= this.#clock.now();
  }

  /** Removes a proposal for its owner, even an expired one, so it is submitted at most once. After a definite refusal it can be put back. */
  take(id: string, memberId: string): Promise<Proposal> {
    return this.runOnce(id, memberId, async (proposal) => proposal);
  }

  /** Removes a proposal once `work` has stored its orders under the proposal's id, or finds that it had done so before a crash. */
  runOnce<Outcome>(id: string, memberId: string, work: (proposal: Proposal) => Promise<Outcome>): Promise<Outcome> {
    return this.#lock.run(id, async () => {
      const proposal = await this.find(id, memberId);
      const outcome = await work(proposal);
      if (outcome) await this.#store.remove(proposal);
      return outcome;
    });
  }

  async find(id: string, memberId: string): Promise<Proposal> {
    const proposal = await this.#store.get({ id });
    if (!proposal) throw new Refusal('refusals.questionGone');
    if (proposal.memberId !== memberId) throw new Refusal('refusals.notYours');
    return proposal;
  }

  async putBack(proposal: Proposal, orders = proposal.orders): Promise<void> {
    const price = orders.length === proposal.orders.length ? {} : this.#priceOf(orders);
    if (orders.length > 0) await this.#store.put({ ...proposal, orders, ...price }, RETENTION_MS);
  }

  /** Records the message that asks. Its member may already have decided. */
  recordMessage(id: string, message: MessageAddress): Promise<void> {
    return this.#lock.run(id, async () => {
      const proposal = await this.#store.get({ id });
      if (proposal) await this.#store.put({ ...proposal, message }, RETENTION_MS);
    });
  }

  async findByMember(memberId: string): Promise<Proposal[]> {
    return (await this.#store.all()).filter((proposal) => proposal.memberId === memberId);
  }

  /** Erases what the member was asked until a time, and the messages that ask. `recordRemoval` returns false if a message has to be deleted later. */
  async erase(
    memberId: string,
    end: number,
    recordRemoval: (message: MessageAddress, removal: Removal) => Promise<boolean>,
  ): Promise<boolean> {
    let isDone = true;
    for (const { id, until, message } of await this.findByMember(memberId)) {
      if (until - PROPOSAL_TTL_MS > end) continue;
      if (message === undefined || (await recordRemoval(message, await this.#discord.removeMessage(message))))
        await this.#lock.run(id, () => this.#store.remove({ id }));
      else isDone = false;
    }
    return isDone;
  }
}
