import type { APIMessage } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/lib/clock.ts';
import type { Buckets } from './buckets.ts';
import type { FaultBook } from './faults.ts';
import type { InteractionBook } from './interactions/interaction-book.ts';
import type { Limits } from './limits.ts';
import type { MessageBook } from './messages.ts';
import type { Post } from './post.ts';
import type { Registry } from './registry.ts';
import type { RequestLog } from './request-log.ts';
import type { MakeId } from './snowflake.ts';
import type { Hub } from './socket/hub.ts';
import type { PrivilegedIntent } from './socket/intents.ts';
import type { Stream } from './stream.ts';
import type { Threads } from './threads.ts';
import type { Uploads } from './uploads.ts';
import type { Validator } from './validator.ts';
import type { Watch } from './watch.ts';
import type { World } from './world.ts';

/** What the modules of the embedded Discord share. */
export interface Parts {
  readonly clock: Clock;
  readonly id: MakeId;
  readonly token: string;
  readonly limits: Limits;
  readonly privilegedIntents: readonly PrivilegedIntent[];
  readonly followUpAfterDeletion: boolean;
  readonly world: World;
  readonly registry: Registry;
  readonly messages: MessageBook;
  readonly threads: Threads;
  readonly uploads: Uploads;
  readonly interactions: InteractionBook;
  readonly hub: Hub;
  readonly buckets: Buckets;
  readonly faults: FaultBook;
  readonly heard: RequestLog;
  readonly validator: Validator;
  readonly stream: Stream;
  readonly watch: Watch;
  /** Builds the full API message. */
  wire(post: Post): APIMessage;
  url(): string;
  gatewayUrl(): string;
}

export type Routes = (server: FastifyInstance, parts: Parts) => void;
