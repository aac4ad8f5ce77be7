import type { Snapshot, Submission } from '../gateway/read/snapshot.ts';
import type { Materials } from './materials.ts';
import type { TaskKind, TaskOf, TaskRequests } from './task.ts';
import type { SentBody } from './task-store.ts';
import type { Order } from './transitions.ts';

/** Whose patience it is: how long members wait before they are told that it takes longer. */
export type Patience = 'picture' | 'video' | 'music' | 'text';

/** Where tasks of some kinds are asked about. */
export interface Source {
  name: string;
  one(remoteId: string): Promise<Snapshot>;
  /** Where many can be asked about at once. Those that the gateway does not know are missing from the answer. */
  many?: {
    readonly most: number /** So much earlier than its turn a task is asked about along with others. */;
    readonly gatherMs?: number;
    ask(remoteIds: readonly string[]): Promise<ReadonlyMap<string, Snapshot>>;
  };
}

/** How the jobs of one kind are ordered and asked about. */
export interface Kind<K extends TaskKind = TaskKind> {
  readonly name: K;
  /** Where its tasks are asked about; without one, the kind follows them itself, or nothing is asked about them. */
  readonly source?: Source | undefined;
  /** Some gateways have no way to order it: where one says so, the whole kind is not offered for a while, or the button that led to it. */
  readonly mayBeMissing?: 'kind' | 'button';
  /** In place of `submit` where the gateway takes an idempotency key: the same body with the same key never makes a second job. */
  readonly keyed?: Keyed<K>;
  /** Takes a task of a kind without a source from here: it was just accepted, or was under way when the bot last ran. */
  follow?(task: TaskOf<K>): void;
  patience(request: TaskRequests[K]): Patience;
  /** Jobs of the same key take about as long. */
  durationKey(request: TaskRequests[K]): string;
  /** Under which name it is remembered that the gateway does not take it: its kind's, unless told. */
  offeredAs?(request: TaskRequests[K]): string;
  /** None for what cannot be ordered. */
  submit?(request: TaskRequests[K], along: AlongOrder): Promise<Submission>;
  /** Gives its words to a task that waits for them. */
  answer?(remoteId: string, request: TaskRequests[K], along: Along): Promise<Submission>;
}

interface Keyed<K extends TaskKind> {
  /** What is sent, to the last byte. It is kept until it is known what became of it. */
  bodyOf(request: TaskRequests[K], materials: Materials): string;
  send(sent: SentBody): Promise<Submission>;
}

/** Lets its methods know what their requests hold. */
export const kind = <K extends TaskKind>(definition: Kind<K>): Kind<K> => definition;

/** What goes along with an order. */
interface Along {
  idempotencyKey: string;
  materials: Materials;
}

interface AlongOrder extends Along {
  /** Who orders it, and where what comes of it is shown. */
  asker: Pick<Order, 'requesterId' | 'guildId' | 'channelId' | 'route'>;
}
