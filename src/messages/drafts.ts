import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Task, TaskKind } from '../services/tasks/task.ts';
import { taskId } from '../services/tasks/task-id.ts';
import type { OrderedRequest } from '../services/tasks/transitions.ts';

export type DraftOrder = OrderedRequest<TaskKind> & { parent?: Task | undefined };

/** As long as an interaction's own reply can be edited. */
const KEPT_MS = 15 * 60_000;
const MAX_DRAFTS = 500;

/** Orders that wait for their member's confirmation. They are not stored: after a restart the member runs the command again. */
export class Drafts {
  readonly #clock: Clock;
  readonly #drafts = new Map<string, { memberId: string; order: DraftOrder }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(memberId: string, order: DraftOrder): string {
    const id = taskId(this.#clock.now());
    this.#drafts.set(id, { memberId, order });
    this.#clock.after(KEPT_MS, () => this.#drafts.delete(id));
    const [oldest] = this.#drafts.keys();
    if (this.#drafts.size > MAX_DRAFTS && oldest !== undefined) this.#drafts.delete(oldest);
    return id;
  }

  /** For its member only, and only once. */
  take(id: string, memberId: string): DraftOrder {
    const draft = this.#drafts.get(id);
    if (!draft) throw new Refusal('refusals.draftGone');
    if (draft.memberId !== memberId) throw new Refusal('refusals.notYours');
    this.#drafts.delete(id);
    return draft.order;
  }
}
