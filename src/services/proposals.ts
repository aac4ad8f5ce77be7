import type { Clock } from '../lib/clock.ts';
import { compare, sumOf } from '../lib/decimals.ts';
import { KeyedLock } from '../lib/keyed-lock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Budgets } from './spending/budgets.ts';
import type { TaskKind } from './tasks/task.ts';
import { taskId } from './tasks/task-id.ts';
import type { OrderedRequest } from './tasks/transitions.ts';

/** As long as an interaction's own reply can be edited. */
const KEPT_MS = 15 * 60_000;

/** An order that waits for its member's decision. */
export type ProposedOrder = OrderedRequest<TaskKind> & { parentId?: string | undefined };

/** Orders that are submitted together, once their member has confirmed them. */
export interface Proposal {
  id: string;
  memberId: string;
  orders: readonly ProposedOrder[];
  /** What they cost together, when the member was asked; undefined: unknown. */
  price?: string | undefined;
  /** Each order gets a message of its own, public or not; undefined: the only order is shown where its member was asked. */
  messages?: 'public' | 'private' | undefined;
  until: number;
}

export interface ProposalStore {
  put(proposal: Proposal, lastsMs: number): Promise<void>;
  get(id: string): Promise<Proposal | undefined>;
  remove(id: string): Promise<void>;
  of(memberId: string): Promise<Proposal[]>;
}

interface ProposalsParts {
  store: ProposalStore;
  clock: Clock;
  /** The estimate of an order; undefined: unknown. */
  priceOf(order: OrderedRequest<TaskKind>): string | undefined;
  budgets: Pick<Budgets, 'of'>;
}

/** Orders that are only submitted when their member confirms them. They are stored, and taken out before they are submitted. */
export class Proposals {
  readonly #parts: ProposalsParts;
  readonly #lock = new KeyedLock();

  constructor(parts: ProposalsParts) {
    this.#parts = parts;
  }

  /** Stores what a member is about to be asked; under the same id where it replaces an earlier proposal. */
  async make(facts: Omit<Proposal, 'id' | 'until' | 'price'>, id?: string): Promise<Proposal> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const proposal = { ...facts, id: id ?? taskId(now), price: this.priceOf(facts.orders), until: now + KEPT_MS };
    await store.put(proposal, KEPT_MS);
    return proposal;
  }

  /** What the orders cost together, if all prices are known. */
  priceOf(orders: readonly OrderedRequest<TaskKind>[]): string | undefined {
    const prices = orders.map((order) => this.#parts.priceOf(order));
    return prices.includes(undefined) ? undefined : sumOf(prices.flatMap((price) => price ?? []));
  }

  /** The price above which this server asks first, if the order is above it. */
  limitExceededBy(order: OrderedRequest<TaskKind>, guildId: string | undefined): string | undefined {
    const limit = guildId === undefined ? undefined : this.#parts.budgets.of(guildId).confirmAbove;
    if (limit === undefined) return undefined;
    const price = this.priceOf([order]);
    return price !== undefined && compare(price, limit) > 0 ? limit : undefined;
  }

  /** Whether it costs more than its member was told. */
  hasRisen({ orders, price }: Proposal): boolean {
    const now = this.priceOf(orders);
    return now !== undefined && (price === undefined || compare(now, price) > 0);
  }

  /** Takes a proposal out for its member, so that it is carried out at most once. After a definite refusal it can be put back. */
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

  async putBack(proposal: Proposal): Promise<void> {
    const lastsMs = proposal.until - this.#parts.clock.now();
    if (lastsMs > 0) await this.#parts.store.put(proposal, lastsMs);
  }

  of(memberId: string): Promise<Proposal[]> {
    return this.#parts.store.of(memberId);
  }

  async erase(memberId: string): Promise<void> {
    for (const { id } of await this.of(memberId)) await this.#lock.run(id, () => this.#parts.store.remove(id));
  }
}
