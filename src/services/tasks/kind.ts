import { z } from 'zod';
import type { CallOptions } from '../gateway/http.ts';
import type { Snapshot, Submission } from '../gateway/snapshot.ts';
import type { TaskKind, TaskRequests } from './kind-spec.ts';
import type { ImageTransfer, Materials } from './materials.ts';
import type { TaskOf } from './task.ts';
import type { OrderFacts } from './transitions.ts';

/** An exact request, with the key that ensures that it creates only one job, however often it is sent. */
export const sentOrder = z.object({ idempotencyKey: z.string(), body: z.string() });
export type SentOrder = z.output<typeof sentOrder>;

/** Which wait limit applies. After this limit, members are informed that the task takes longer than usual. */
export type WaitLimit = 'image' | 'video' | 'music' | 'text';

export interface Source {
  name: string;
  endpoint: { get(remoteId: string, options?: CallOptions): Promise<Snapshot> };
  /** Polls several tasks at once. Tasks that the gateway does not know are missing from the result. */
  batch?: {
    readonly max: number;
    /** A task can be polled together with others up to this long before it is due. */
    readonly gatherMs?: number;
    pollMany(remoteIds: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, Snapshot>>;
  };
}

/** `follow`: receives the response to the task, over the connection that the submit has opened. */
export interface LiveSubmission<K extends TaskKind = TaskKind> extends Submission {
  follow?(task: TaskOf<K>): void;
}

export interface Kind<K extends TaskKind = TaskKind> {
  readonly name: K;
  /** If there is no source, the kind follows its tasks itself, or they are not polled. */
  readonly source?: Source | undefined;
  readonly acceptsCallback?: boolean;
  /** How images among its references are passed. The default is by URL. */
  readonly transfer?: ImageTransfer;
  /** What is hidden for a while after a gateway has refused it as unsupported: the whole kind, or only the button. */
  readonly hideIfUnsupported?: 'kind' | 'button';
  /** Replaces `submit` if the gateway accepts an idempotency key: the same body with the same key never creates a second job. */
  readonly keyedSubmit?: {
    /** Returns the exact body, which is stored until the outcome of the order is known. */
    bodyOf(request: TaskRequests[K], materials: Materials, user: string | undefined): string;
    send(sent: SentOrder): Promise<Submission>;
  };
  /** For kinds without a source: follows a task that was running when the bot last stopped. */
  follow?(task: TaskOf<K>): void;
  waitLimit(request: TaskRequests[K]): WaitLimit;
  /** Jobs with the same key take about the same time. */
  durationKey(request: TaskRequests[K]): string;
  /** The name of its jobs in a gateway's price list, for requests that name no model in the list. */
  priceName?(request: TaskRequests[K]): string | undefined;
  /** The name under which a refusal is remembered. The default is the name of the kind. */
  offerName?(request: TaskRequests[K]): string;
  /** Missing if the kind cannot be ordered. */
  submit?(request: TaskRequests[K], context: SubmitContext): Promise<LiveSubmission<K>>;
  sendWords?(
    remoteId: string,
    request: TaskRequests[K],
    context: Omit<SubmitContext, 'id' | 'requester'>,
  ): Promise<Submission>;
}

/** Infers the type of the requests that the methods receive. */
export const defineKind = <K extends TaskKind>(definition: Kind<K>): Kind<K> => definition;

interface SubmitContext {
  id: string;
  materials: Materials;
  /** The member's pseudonym at the gateway, if the operator has enabled pseudonyms. */
  user?: string | undefined;
  callbackUrl?: string | undefined;
  requester: OrderFacts;
}
