import type { APIMessage } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Buckets } from './buckets.ts';
import type { CommandRegistry } from './command-registry.ts';
import type { FaultQueue } from './faults.ts';
import type { InteractionStore } from './interactions/interaction-store.ts';
import type { Limits } from './limits.ts';
import type { MessageStore } from './message-store.ts';
import type { Post } from './post.ts';
import type { RequestLog } from './request-log.ts';
import type { MakeId } from './snowflake.ts';
import type { Hub } from './socket/hub.ts';
import type { PrivilegedIntent } from './socket/intents.ts';
import type { SessionStarts } from './socket/session-starts.ts';
import type { EventStream } from './stream.ts';
import type { Threads } from './threads.ts';
import type { Uploads } from './uploads.ts';
import type { Validator } from './validator.ts';
import type { Watch } from './watch.ts';
import type { World } from './world.ts';

/** What Discord knows about the application's account. */
interface Account {
  readonly recommendedShards: number;
  readonly resetsToken: boolean;
  isTokenReset: boolean;
}

/** The services that the modules of the embedded Discord share. */
export interface Parts {
  readonly clock: Clock;
  readonly id: MakeId;
  readonly token: string;
  readonly limits: Limits;
  readonly privilegedIntents: readonly PrivilegedIntent[];
  readonly followUpAfterDeletion: boolean;
  readonly world: World;
  readonly registry: CommandRegistry;
  readonly messages: MessageStore;
  readonly threads: Threads;
  readonly uploads: Uploads;
  readonly interactions: InteractionStore;
  readonly account: Account;
  /** Fields of the application that the developer portal has set. */
  readonly application: Readonly<Record<string, unknown>>;
  readonly hub: Hub;
  readonly sessionStarts: SessionStarts;
  readonly buckets: Buckets;
  readonly faults: FaultQueue;
  readonly requestLog: RequestLog;
  readonly validator: Validator;
  readonly stream: EventStream;
  readonly watch: Watch;
  /** The message as a user sees it; without a viewer, with everything that it quotes. */
  apiMessage(post: Post, viewer?: string): APIMessage;
  /** The message as the application receives it; by default, with the intents of the developer portal. */
  applicationMessage(post: Post, hasContentIntent?: boolean): APIMessage;
  url(): string;
  gatewayUrl(): string;
  resumeUrl(): string;
}

export type Routes = (server: FastifyInstance, parts: Parts) => void;
