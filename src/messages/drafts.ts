import { type Clock, SteadyClock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import { GatewayError } from '../services/gateway/index.ts';
import type { Task, TaskKind } from '../services/tasks/task.ts';
import { taskId } from '../services/tasks/task-id.ts';
import type { OrderedRequest } from '../services/tasks/transitions.ts';

export type DraftOrder = OrderedRequest<TaskKind> & { parent?: Task | undefined };

/** As long as an interaction's own reply can be edited. */
const KEPT_MS = 15 * 60_000;
const MAX_DRAFTS = 500;

/** Orders that wait for their member's confirmation. They are not stored: after a restart the member runs the command again. */
export class Drafts {
  readonly #clock: SteadyClock;
  /** Oldest first. */
  readonly #drafts = new Map<string, { memberId: string; order: DraftOrder; until: number }>();

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  keep(memberId: string, order: DraftOrder): string {
    const now = this.#clock.now();
    const id = taskId(now);
    this.#drafts.set(id, { memberId, order, until: now + KEPT_MS });
    for (const [oldest, { until }] of this.#drafts)
      if (until <= now || this.#drafts.size > MAX_DRAFTS) this.#drafts.delete(oldest);
    return id;
  }

  /** Submits it for its member, only once. After a definite refusal the member may try again. */
  async submit(id: string, memberId: string, submit: (order: DraftOrder) => Promise<void>): Promise<void> {
    const draft = this.#drafts.get(id);
    if (!draft || draft.until <= this.#clock.now()) throw new Refusal('refusals.draftGone');
    if (draft.memberId !== memberId) throw new Refusal('refusals.notYours');
    this.#drafts.delete(id);
    try {
      await submit(draft.order);
    } catch (error) {
      if (error instanceof Refusal || error instanceof GatewayError) this.#drafts.set(id, draft);
      throw error;
    }
  }
}
