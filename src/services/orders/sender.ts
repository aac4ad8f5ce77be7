import { randomUUID } from 'node:crypto';
import { Refusal } from '../../lib/refusal.ts';
import { type FailureReason, GatewayError } from '../gateway/errors.ts';
import type { OrderFiles } from '../safety/rules.ts';
import type { Kind, LiveSubmission } from '../tasks/kind.ts';
import type { GatherContext, Materials } from '../tasks/materials.ts';
import type { Task } from '../tasks/task.ts';
import type { Callbacks } from './callbacks.ts';
import type { OrdersContext } from './orders-context.ts';

interface FilesOrder {
  requesterId: string;
  request: Task['request'];
}

/** Collects everything that an order needs, and sends it once. */
export class Sender {
  readonly #context: OrdersContext;

  constructor(context: OrdersContext) {
    this.#context = context;
  }

  /** Fetches the files of the order before anything is sent or stored. A body that was sent before is sent again unchanged. */
  async prepareOrder(
    kind: Kind,
    { request, requesterId }: FilesOrder,
    previousAttempt?: PreviousAttempt,
  ): Promise<PreparedOrder> {
    const timeLimitMs = this.#context.settings.maxWaitMs[kind.waitLimit(request)];
    const context = { memberId: requesterId, timeLimitMs, transfer: kind.transfer };
    if (previousAttempt?.body !== undefined) return { ...previousAttempt, materials: {}, context };
    return this.#gather(kind, request, context, previousAttempt?.idempotencyKey);
  }

  filesOf(order: FilesOrder): OrderFiles {
    return { images: () => this.#imagesOf(order), documents: () => this.#documentsOf(order) };
  }

  async #documentsOf({ request, requesterId }: FilesOrder): Promise<string[]> {
    const { gather, settings } = this.#context;
    const context = { memberId: requesterId, timeLimitMs: settings.maxWaitMs.text };
    const { documents = [] } = await gather({ documents: request.documents }, context);
    return documents.flatMap(({ text = [] }) => text);
  }

  /** All of them are in memory at the same time. */
  async #imagesOf({ request, requesterId }: FilesOrder): Promise<string[]> {
    const { gather, settings } = this.#context;
    const context = { memberId: requesterId, timeLimitMs: settings.maxWaitMs.text, transfer: 'base64' } as const;
    const { pictures: files = [], references = [] } = request;
    const imageReferences = references.filter(({ medium }) => medium === 'image' || medium === 'any');
    const images: string[] = [];
    for (const file of files) images.push(...((await gather({ pictures: [file] }, context)).images ?? []));
    for (const reference of imageReferences) {
      const { references: preparedReferences = [] } = await gather({ references: [reference] }, context);
      images.push(...preparedReferences.flatMap((one) => (one.medium === 'image' ? [one.uri] : [])));
    }
    return images;
  }

  async #gather(kind: Kind, request: Task['request'], context: GatherContext, key?: string): Promise<PreparedOrder> {
    const materials = await this.#context.gather(request, context);
    const user = context.memberId === undefined ? undefined : await this.#context.userOf?.(context.memberId);
    const body = kind.keyedSubmit?.bodyOf(request, materials, user);
    return { idempotencyKey: key ?? randomUUID(), body, materials, context, user };
  }

  async send(kind: Kind, order: Task, prepared: PreparedOrder): Promise<SubmitOutcome> {
    const { idempotencyKey, body, materials, context, user } = prepared;
    const { id, request } = order;
    const callbackUrl = callbackUrlFor(kind, id, this.#context.callbacks);
    try {
      if (body !== undefined) await this.#context.store.sentOrders.put(id, { idempotencyKey, body });
    } catch (error) {
      // An order that cannot be repeated unchanged is not sent at all.
      return { refused: error };
    }
    this.#context.store.ownership.assertOwned();
    try {
      const pendingSubmission =
        kind.keyedSubmit && body !== undefined
          ? kind.keyedSubmit.send({ idempotencyKey, body })
          : kind.submit?.(request, { id, materials, user, callbackUrl, requester: order });
      if (!pendingSubmission) throw new Error(`A task of the kind ${kind.name} cannot be ordered.`);
      return { submission: await pendingSubmission, hasCallback: callbackUrl !== undefined };
    } catch (error) {
      // A `Refusal` is thrown before anything is sent.
      if (error instanceof Refusal) return { refused: error };
      if (error instanceof GatewayError && !error.mayHaveTakenEffect) {
        // The refusal was definite, so the order can be sent again without being carried out twice.
        if (error.status !== PAYLOAD_TOO_LARGE || context.shouldShrink || !hasData(materials))
          return { refused: error };
        const smaller = await this.#gatherSmaller(kind, request, context);
        return smaller ? this.send(kind, order, smaller) : { refused: error };
      }
      const reason = error instanceof GatewayError ? error.reason : undefined;
      this.#context.log.warn({ kind: kind.name, err: error }, 'A task was submitted with an unknown outcome.');
      return { reason };
    }
  }

  /** A different body needs a different key. If nothing smaller can be gathered, the gateway's refusal stands. */
  async #gatherSmaller(
    kind: Kind,
    request: Task['request'],
    previous: GatherContext,
  ): Promise<PreparedOrder | undefined> {
    try {
      return await this.#gather(kind, request, { ...previous, shouldShrink: true });
    } catch (error) {
      this.#context.log.info({ kind: kind.name, err: error }, 'The files of a task could not be made smaller.');
      return undefined;
    }
  }
}

export const callbackUrlFor = (
  { acceptsCallback, source }: Kind,
  id: string,
  callbacks: Callbacks,
): string | undefined => (acceptsCallback && source ? callbacks.urlFor(source.name, id) : undefined);

const PAYLOAD_TOO_LARGE = 413;

export interface PreparedOrder {
  idempotencyKey: string;
  /** The exact body, if the kind stores it so that it can be sent again. */
  body?: string | undefined;
  materials: Materials;
  context: GatherContext;
  user?: string | undefined;
}

export type PreviousAttempt = Pick<PreparedOrder, 'idempotencyKey' | 'body'>;

const hasData = ({ images = [], references = [] }: Materials): boolean =>
  images.length > 0 || references.some(({ uri }) => uri.startsWith('data:'));

/** If there is neither a submission nor a refusal, the outcome is unknown. */
export type SubmitOutcome =
  | { refused: unknown }
  | { submission?: LiveSubmission; hasCallback?: boolean; reason?: FailureReason | undefined };
