import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isRecord } from '../../lib/exact-json.ts';
import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { GatewayError } from '../gateway/errors.ts';
import { bucketOfOrder } from '../tasks/homes.ts';
import { defineRequest, isKind, type KindSpec, type TaskKind } from '../tasks/kind-spec.ts';
import { hasEnded, isLive, isOfKind, type Task, type TaskOf, taskFacts } from '../tasks/task.ts';
import { createTaskId } from '../tasks/task-id.ts';
import { completeAlbum, createAlbum, type OrderedRequest } from '../tasks/transitions.ts';
import type { OrderOrigin, Orders } from './orders.ts';
import type { OrdersContext } from './orders-context.ts';
import { type Retries, retries } from './proposals.ts';
import { failureOf } from './refused-orders.ts';

/** An order of a batch, which becomes the task with its id. */
const child = z.object({
  id: z.string(),
  order: z.custom<OrderedRequest<TaskKind>>((value) => isRecord(value) && isRecord(value.request)),
  /** Whether it was submitted. Its task may have been erased since, and must not be submitted again. */
  isSubmitted: z.literal(true).optional(),
  failure: taskFacts.shape.failure.unwrap().omit({ cause: true }).optional(),
  retriedBy: z.string().optional(),
});

const batchShape = defineRequest({
  children: z.array(child),
  /** The thread where the results are posted. Without one, the batch's message shows them on demand. */
  threadId: z.string().optional(),
  /** Set if the member canceled the orders that had not been submitted. */
  isStopped: z.literal(true).optional(),
  /** How its tasks ended, if none has a result. */
  end: z.enum(['failed', 'cancelled']).optional(),
  retries: retries.optional(),
});
type BatchChild = z.output<typeof child>;
export type Batch = TaskOf<'batch'>;

declare module '../tasks/kind-spec.ts' {
  interface TaskRequests {
    batch: z.output<typeof batchShape>;
  }
}

export const batchSpec: KindSpec<'batch'> = { request: batchShape.loose(), traits: { isBatch: true } };

export interface NewBatch {
  /** The id of the proposal, so that pressing its button again finds the batch. */
  id: string;
  origin: OrderOrigin;
  orders: readonly OrderedRequest<TaskKind>[];
  typed?: string | undefined;
  retries?: Retries | undefined;
  threadId?: string | undefined;
}

export interface BatchEntry extends BatchChild {
  task: Task | undefined;
}

/** Whether the order was not submitted yet, and will be. */
export const awaitsSubmit = (batch: Task, { failure, isSubmitted, task }: BatchEntry): boolean =>
  !(task || failure || isSubmitted || hasEnded(batch) || (isOfKind('batch', batch) && batch.request.isStopped));

/** Ends after which the gateway may have carried out the order, or which the member or a moderator decided on. */
const OTHER_ENDS: ReadonlySet<string | undefined> = new Set(['unconfirmed', 'forgotten', 'dismissed', 'withdrawn']);

/** Whether the order certainly had no result, so that it can be submitted again: once, since a retry can be retried in its own batch. */
export function mayBeRetried({ failure, retriedBy, task }: BatchEntry): boolean {
  if (retriedBy !== undefined) return false;
  if (!task) return failure !== undefined;
  const isFailed = task.state === 'failed' || task.state === 'expired' || task.state === 'cancelled';
  return isFailed && !task.review && !OTHER_ENDS.has(task.failure?.cause);
}

function endOf(entries: readonly BatchEntry[]): Batch['request']['end'] {
  const states = entries.map(({ failure, isSubmitted, task }) =>
    failure ? 'failed' : task || isSubmitted ? task?.state : 'cancelled',
  );
  if (states.every((state) => state === 'cancelled')) return 'cancelled';
  const isWithoutResult = states.every((state) => state === 'failed' || state === 'expired' || state === 'cancelled');
  return isWithoutResult ? 'failed' : undefined;
}

/**
 * Submits several orders, one after the other, and shows them in one message. The batch is stored first, with the ids that the tasks will have. A start
 * submits those that a crash left out: an order without a task was never sent.
 */
export class Batches {
  readonly #context: OrdersContext;
  readonly #orders: Orders;
  /** The children of each batch that are not settled. */
  readonly #open = new Map<string, Set<string>>();
  readonly #submitting = new Map<string, Promise<void>>();
  /** Children that are being submitted. A refused one is removed before its refusal is stored. */
  readonly #beingSent = new Set<string>();
  #isStopping = false;

  constructor(context: OrdersContext, orders: Orders) {
    this.#context = context;
    this.#orders = orders;
    context.book.onChange((task) => this.#onTaskChange(task));
    context.book.onRemove(({ id, parentId }) => {
      if (!this.#beingSent.has(id)) this.#onSettled(id, parentId);
    });
  }

  async create({ id, origin, orders, typed, retries, threadId }: NewBatch): Promise<void> {
    const { book, clock, partition } = this.#context;
    const now = clock.now();
    const bucket = bucketOfOrder(origin, partition);
    const children = orders.map((order): BatchChild => ({ id: createTaskId(now, bucket), order }));
    const facts = { id, traits: batchSpec.traits, idempotencyKey: randomUUID(), durationKey: 'batch', now };
    const batch = createAlbum({ ...origin, kind: 'batch', request: { children, typed, retries, threadId } }, facts);
    await book.add(batch);
    this.#resume(batch);
  }

  async entriesOf(batch: Task): Promise<BatchEntry[]> {
    const children = isOfKind('batch', batch) ? batch.request.children : [];
    return Promise.all(children.map(async (one) => ({ ...one, task: await this.#context.book.get(one.id) })));
  }

  /** Throws if one of the orders has been submitted again since the member was asked. */
  async requireNotRetried({ batchId, childIds }: Retries): Promise<void> {
    const batch = await this.#context.book.get(batchId);
    const entries = batch ? await this.entriesOf(batch) : [];
    const retryable = new Set(entries.filter(mayBeRetried).map(({ id }) => id));
    if (!childIds.every((id) => retryable.has(id))) throw new Refusal('refusals.alreadyRetried');
  }

  /** Cancels all orders of a batch that wait. What was sent cannot be canceled. */
  async cancelRest(id: string, memberId: string): Promise<Batch> {
    const { book } = this.#context;
    const stopped = await this.#stopBatch(id);
    await this.#submitting.get(id);
    let isNothingLeft = true;
    for (const { id: childId, failure, isSubmitted, task } of await this.entriesOf(stopped)) {
      if (!task) this.#onSettled(childId, id);
      if (!task && !failure && !isSubmitted) isNothingLeft = false;
      if (task?.state !== 'waiting') continue;
      try {
        await this.#orders.cancel(task.id, memberId);
        isNothingLeft = false;
      } catch (error) {
        // Its turn came in the meantime.
        if (!(error instanceof Refusal)) throw error;
      }
    }
    if (isNothingLeft) throw new Refusal('refusals.nothingToCancel');
    const batch = await book.get(id);
    return batch && isOfKind('batch', batch) ? batch : stopped;
  }

  async start(storedTasks: readonly Task[]): Promise<void> {
    for (const task of storedTasks) {
      if (!isOfKind('batch', task) || hasEnded(task)) continue;
      // More may have been submitted since the backup.
      const isStopped = task.restored !== undefined || task.unwanted === true;
      this.#resume(isStopped ? await this.#stopBatch(task.id) : task);
    }
  }

  /** Submits no more orders until the next start. */
  stop(): void {
    this.#isStopping = true;
  }

  #resume({ id, request }: Batch): void {
    const { log, pendingWork } = this.#context;
    this.#open.set(id, new Set(request.children.map((one) => one.id)));
    const work = this.#submitAll(id)
      // The next start continues.
      .catch((error: unknown) => log.error({ task: id, err: error }, 'The orders of a batch could not be submitted.'))
      .finally(() => this.#submitting.delete(id));
    this.#submitting.set(id, work);
    void trackUntilDone(work, pendingWork);
  }

  async #submitAll(id: string): Promise<void> {
    const { book } = this.#context;
    book.announce(id);
    if (!(await this.#claimRetries(id))) await this.#stopBatch(id);
    const childIds = [...(this.#open.get(id) ?? [])];
    for (const childId of childIds) {
      const batch = this.#find(id);
      const one = batch?.request.children.find((other) => other.id === childId);
      if (!batch || !one || this.#isStopping) return;
      const isOpen = !one.isSubmitted && !one.failure && !batch.request.isStopped && !batch.unwanted;
      if (isOpen && !(await book.get(childId))) await this.#submit(batch, one);
      const task = await book.get(childId);
      if (task && !one.isSubmitted) await this.#changeChild(id, childId, { isSubmitted: true });
      if (!task || !isLive(task)) this.#onSettled(childId, id);
    }
  }

  /** Records in the earlier batch what this one submits again; false if another one does. */
  async #claimRetries(id: string): Promise<boolean> {
    const { batchId, childIds } = this.#find(id)?.request.retries ?? {};
    if (batchId === undefined) return true;
    try {
      const { request } = await this.#change(batchId, ({ children, ...rest }) => ({
        ...rest,
        children: children.map((one) => (childIds?.includes(one.id) ? { retriedBy: id, ...one } : one)),
      }));
      return request.children.every((one) => !childIds?.includes(one.id) || one.retriedBy === id);
    } catch (error) {
      // The member may have deleted the earlier batch.
      if (error instanceof Refusal) return true;
      throw error;
    }
  }

  async #submit(batch: Batch, { id, order }: BatchChild): Promise<void> {
    const { requesterId, guildId, channelId, parentChannelId, isAgeRestricted, roleIds, language, request } = batch;
    const { token: _, followUpId: __, ...route } = batch.route;
    const place =
      request.threadId === undefined
        ? { channelId, parentChannelId, route, isShownByParent: true as const }
        : { channelId: request.threadId, parentChannelId: channelId, route };
    const { specs } = this.#context;
    this.#beingSent.add(id);
    try {
      // Only the requests of tasks are checked when they are read.
      if (!isKind(order.kind, specs) || !specs[order.kind].request.safeParse(order.request).success)
        throw new Refusal('refusals.unknownTask');
      await this.#orders.submit(
        { requesterId, guildId, isAgeRestricted, roleIds, language, ...place, ...order, parent: batch },
        id,
      );
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof GatewayError)) throw error;
      await this.#changeChild(batch.id, id, { failure: failureOf(error) });
    } finally {
      this.#beingSent.delete(id);
    }
  }

  #find(id: string): Batch | undefined {
    const task = this.#context.book.find(id);
    return task && isOfKind('batch', task) ? task : undefined;
  }

  #changeChild(id: string, childId: string, changes: Partial<BatchChild>): Promise<Batch> {
    return this.#change(id, ({ children, ...request }) => ({
      ...request,
      children: children.map((one) => (one.id === childId ? { ...one, ...changes } : one)),
    }));
  }

  #stopBatch(id: string): Promise<Batch> {
    return this.#change(id, (request) => ({ ...request, isStopped: true }));
  }

  async #change(id: string, changeRequest: (request: Batch['request']) => Batch['request']): Promise<Batch> {
    const changed = await this.#context.book.change(id, (task) =>
      isOfKind('batch', task) ? { ...task, request: changeRequest(task.request) } : task,
    );
    if (!isOfKind('batch', changed)) throw new Refusal('refusals.unknownButton');
    return changed;
  }

  #onTaskChange({ id, parentId, times }: Task): void {
    if (parentId === undefined || !this.#open.get(parentId)?.has(id)) return;
    if (times.settled === undefined) this.#context.book.announce(parentId);
    else this.#onSettled(id, parentId);
  }

  #onSettled(childId: string, batchId = ''): void {
    const open = this.#open.get(batchId);
    if (!open?.delete(childId)) return;
    if (open.size === 0) this.#complete(batchId);
    else this.#context.book.announce(batchId);
  }

  async #storeEnd(id: string): Promise<void> {
    const batch = this.#find(id);
    const end = batch && endOf(await this.entriesOf(batch));
    if (end) await this.#change(id, (request) => ({ ...request, end }));
  }

  #complete(id: string): void {
    this.#open.delete(id);
    const { book, clock, log, pendingWork } = this.#context;
    const work = this.#storeEnd(id)
      // Without it, the batch counts as finished.
      .catch((error: unknown) => log.info({ task: id, err: error }, 'How a batch ended could not be stored.'))
      .then(() => book.change(id, ({ roleIds: _, ...ended }) => completeAlbum(ended, clock.now()), { mustHold: true }))
      // The member may have erased the batch along with all other data.
      .catch((error: unknown) => log.info({ task: id, err: error }, 'A batch was erased before it was complete.'));
    void trackUntilDone(work, pendingWork);
  }
}
