import type { z } from 'zod';
import type { Snapshot } from '../gateway/read/snapshot.ts';
import type { Submission } from '../gateway/read/submission.ts';
import type { Materials } from './materials.ts';
import type { Task, TaskKind } from './task.ts';
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

/** What differs between imagine, describe, video and the others. */
interface KindDefinition<Request> {
  name: TaskKind;
  /** Where its tasks are asked about; without one, the kind follows them itself, or nothing is asked about them. */
  source?: Source | undefined;
  /** Takes a task of a kind without a source from here: it was just accepted, or was under way when the bot last ran. */
  follow?(task: Task): void;
  request: z.ZodType<Request>;
  patience(request: Request): Patience;
  /** Jobs of the same key take about as long. */
  durationKey(request: Request): string;
  model?(request: Request): string | undefined;
  /** None for what cannot be ordered. */
  submit?(request: Request, along: AlongOrder): Promise<Submission>;
  /** In its place where the gateway takes an idempotency key: the same body with the same key never makes a second job. */
  keyed?: {
    /** What is sent, to the last byte. It is kept until it is known what became of it. */
    bodyOf(request: Request, materials: Materials): string;
    send(sent: SentBody): Promise<Submission>;
  };
  /** Some gateways have no way to order it: where one says so, the whole kind is not offered for a while, or the button that led to it. */
  mayBeMissing?: 'kind' | 'button';
  /** Gives its words to a task that waits for them. */
  answer?(remoteId: string, request: Request, along: Along): Promise<Submission>;
}

/** What goes along with an order. */
interface Along {
  idempotencyKey: string;
  materials: Materials;
}

interface AlongOrder extends Along {
  /** Who orders it, and where what comes of it is shown. */
  asker: Pick<Order, 'requesterId' | 'guildId' | 'channelId' | 'route'>;
}

export interface Kind extends Pick<KindDefinition<unknown>, 'name' | 'source' | 'mayBeMissing' | 'follow'> {
  isOrderable: boolean;
  patience(request: Task['request']): Patience;
  durationKey(request: Task['request']): string;
  model(request: Task['request']): string | undefined;
  keyed?: { bodyOf(request: Task['request'], materials: Materials): string; send(sent: SentBody): Promise<Submission> };
  submit(request: Task['request'], along: AlongOrder): Promise<Submission>;
  answer(remoteId: string, request: Task['request'], along: Along): Promise<Submission>;
}

/** A request comes from a command or from the store: its kind reads it before it is used. */
export function kind<Request>(definition: KindDefinition<Request>): Kind {
  const { name, source, mayBeMissing, keyed, request: shape } = definition;
  return {
    name,
    source,
    ...(mayBeMissing && { mayBeMissing }),
    isOrderable: definition.submit !== undefined || keyed !== undefined,
    ...(keyed && {
      keyed: {
        bodyOf: (request: Task['request'], materials: Materials) => keyed.bodyOf(shape.parse(request), materials),
        send: (sent: SentBody) => keyed.send(sent),
      },
    }),
    ...(definition.follow && { follow: (task: Task) => definition.follow?.(task) }),
    patience: (request) => definition.patience(shape.parse(request)),
    durationKey: (request) => definition.durationKey(shape.parse(request)),
    model: (request) => definition.model?.(shape.parse(request)),
    async submit(request, along) {
      if (!definition.submit) throw new Error(`A task of the kind ${name} cannot be ordered.`);
      return definition.submit(shape.parse(request), along);
    },
    async answer(remoteId, request, along) {
      if (!definition.answer) throw new Error(`A task of the kind ${name} takes no words.`);
      return definition.answer(remoteId, shape.parse(request), along);
    },
  };
}
