import type { Snapshot, Submission } from '../gateway/read/snapshot.ts';
import type { ImageTransfer, Materials } from './materials.ts';
import type { TaskKind, TaskOf, TaskRequests } from './task.ts';
import type { SentOrder } from './task-store.ts';
import type { Order } from './transitions.ts';

/** Which wait limit applies: how long members wait before they are told that the task takes longer. */
export type WaitLimit = 'image' | 'video' | 'music' | 'text';

export interface Source {
  name: string;
  pollOne(remoteId: string): Promise<Snapshot>;
  /** Polls several tasks at once. Tasks that the gateway does not know are missing from the result. */
  many?: {
    readonly max: number;
    /** How long before it is due a task can be polled along with others. */
    readonly gatherMs?: number;
    pollMany(remoteIds: readonly string[]): Promise<ReadonlyMap<string, Snapshot>>;
  };
}

export interface Kind<K extends TaskKind = TaskKind> {
  readonly name: K;
  /** Without a source, the kind follows its tasks itself or they are not polled. */
  readonly source?: Source | undefined;
  /** Its endpoint may be given a URL to call back. */
  readonly takesCallback?: boolean;
  /** How images among its references are passed; by default by URL. */
  readonly transfer?: ImageTransfer;
  /** Some gateways do not support it: after such a refusal the kind or the button is not offered for a while. */
  readonly mayBeMissing?: 'kind' | 'button';
  /** Replaces `submit` if the gateway takes an idempotency key: the same body with the same key never makes a second job. */
  readonly keyed?: {
    /** The exact body. It is stored until the outcome of the order is known. */
    bodyOf(request: TaskRequests[K], materials: Materials, user: string | undefined): string;
    send(sent: SentOrder): Promise<Submission>;
  };
  /** Follows a task of a kind without a source that was just accepted, or was running when the bot last stopped. */
  follow?(task: TaskOf<K>): void;
  waitLimit(request: TaskRequests[K]): WaitLimit;
  /** Jobs with the same key take about as long. */
  durationKey(request: TaskRequests[K]): string;
  /** The name of its jobs in a gateway's price list, for requests that name no model in the list. */
  priceName?(request: TaskRequests[K]): string | undefined;
  /** The name under which a refusal is remembered; by default the kind's. */
  offerName?(request: TaskRequests[K]): string;
  /** Missing if the kind cannot be ordered. */
  submit?(request: TaskRequests[K], along: Along): Promise<Submission>;
  sendWords?(remoteId: string, request: TaskRequests[K], along: Omit<Along, 'requester'>): Promise<Submission>;
}

/** Gives its methods the type of their requests. */
export const defineKind = <K extends TaskKind>(definition: Kind<K>): Kind<K> => definition;

interface Along {
  idempotencyKey: string;
  materials: Materials;
  /** A pseudonym of the member for the gateway, if the operator has configured one. */
  user?: string | undefined;
  /** Where the gateway may report changes. */
  callbackUrl?: string | undefined;
  /** Who requested it, and where the result is shown. */
  requester: Pick<Order, 'requesterId' | 'guildId' | 'channelId' | 'route'>;
}
