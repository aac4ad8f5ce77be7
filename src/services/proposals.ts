import type { Clock } from '../lib/clock.ts';
import { compare, sumOf } from '../lib/decimals.ts';
import { KeyedLock } from '../lib/keyed-lock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Budgets } from './spending/budgets.ts';
import { bucketWithin, type Partition } from './tasks/homes.ts';
import type { TaskKind } from './tasks/kind-spec.ts';
import { taskId } from './tasks/task-id.ts';
import type { OrderedRequest } from './tasks/transitions.ts';

/** As long as the reply of an interaction can be edited. */
const PROPOSAL_TTL_MS = 15 * 60_000;

/** A request that waits for the member's decision. */
export type ProposedOrder = OrderedRequest<TaskKind> & { parentId?: string | undefined };

/** Requests that are submitted together, once the member has confirmed them. */
export interface Proposal {
  id: string;
  memberId: string;
  orders: readonly ProposedOrder[];
  /** Their total estimated cost, as shown to the member; undefined if unknown. */
  price?: string | undefined;
  /** Whether each request gets its own message, and whether it is public. If undefined, the only request is shown in the confirmation message. */
  messages?: 'public' | 'private' | undefined;
  /** Set if the question is public and a moderator would have to decide about the results. */
  hidesPrompt?: boolean | undefined;
  until: number;
}

export interface ProposalStore {
  put(proposal: Proposal, ttlMs: number): Promise<void>;
  get(id: string): Promise<Proposal | undefined>;
  remove(id: string): Promise<void>;
  findByMember(memberId: string): Promise<Proposal[]>;
}

interface ProposalsParts {
  store: ProposalStore;
  clock: Clock;
  /** The estimate for a request; undefined if unknown. */
  priceOf(order: OrderedRequest<TaskKind>): string | undefined;
  budgets: Pick<Budgets, 'get'>;
  /** The partition of the store. */
  partition: Partition;
}

/** Requests that are only submitted once the member confirms them. They are stored, and removed before they are submitted. */
export class Proposals {
  readonly #parts: ProposalsParts;
  readonly #lock = new KeyedLock();

  constructor(parts: ProposalsParts) {
    this.#parts = parts;
  }

  /** Stores a proposal before the member is asked; under the same id if it replaces an earlier one. */
  async create(details: Omit<Proposal, 'id' | 'until' | 'price'>, id?: string): Promise<Proposal> {
    const { store, clock, partition } = this.#parts;
    const now = clock.now();
    const price = this.priceOf(details.orders);
    const bucket = bucketWithin(details.memberId, partition);
    const proposal = { ...details, id: id ?? taskId(now, bucket), price, until: now + PROPOSAL_TTL_MS };
    await store.put(proposal, PROPOSAL_TTL_MS);
    return proposal;
  }

  /** The estimated cost of the requests together, if all prices are known. */
  priceOf(orders: readonly OrderedRequest<TaskKind>[]): string | undefined {
    const prices = orders.map((order) => this.#parts.priceOf(order));
    return prices.includes(undefined) ? undefined : sumOf(prices.flatMap((price) => price ?? []));
  }

  /** The price above which this server asks for confirmation, if the request exceeds it. */
  limitExceededBy(order: OrderedRequest<TaskKind>, guildId: string | undefined): string | undefined {
    const limit = guildId === undefined ? undefined : this.#parts.budgets.get(guildId).confirmAbove;
    if (limit === undefined) return undefined;
    const price = this.priceOf([order]);
    return price !== undefined && compare(price, limit) > 0 ? limit : undefined;
  }

  /** Whether a proposal now costs more than the price that the member was shown. */
  hasRisen({ orders, price }: Proposal): boolean {
    const currentPrice = this.priceOf(orders);
    return currentPrice !== undefined && (price === undefined || compare(currentPrice, price) > 0);
  }

  /** Removes a proposal for its owner, so it is submitted at most once. After a definite refusal it can be put back. */
  take(id: string, memberId: string): Promise<Proposal> {
    return this.#lock.run(id, async () => {
      const { store, clock } = this.#parts;
      const proposal = await store.get(id);
      if (!proposal || proposal.until <= clock.now()) throw new Refusal('refusals.questionGone');
      if (proposal.memberId !== memberId) throw new Refusal('refusals.notYours');
      await store.remove(id);
      return proposal;
    });
  }

  async putBack(proposal: Proposal, orders = proposal.orders): Promise<void> {
    const ttlMs = proposal.until - this.#parts.clock.now();
    const price = orders.length === proposal.orders.length ? proposal.price : this.priceOf(orders);
    if (ttlMs > 0 && orders.length > 0) await this.#parts.store.put({ ...proposal, orders, price }, ttlMs);
  }

  findByMember(memberId: string): Promise<Proposal[]> {
    return this.#parts.store.findByMember(memberId);
  }

  async erase(memberId: string): Promise<void> {
    for (const { id } of await this.findByMember(memberId))
      await this.#lock.run(id, () => this.#parts.store.remove(id));
  }
}
