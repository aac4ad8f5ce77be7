import {
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatch,
} from 'discord-api-types/v10';
import { isDoneWithin } from '../../lib/clock.ts';
import type { FollowedThreads } from '../../services/cluster/followed-threads.ts';
import type { Cluster } from '../../services/cluster/open-cluster.ts';
import { partitionOf } from '../../services/tasks/homes.ts';
import { threadPacketIn } from '../thread-message.ts';
import { routingBucketOf } from './routing.ts';
import type { UntakenInteractions } from './untaken.ts';

/** A queue server that does not respond must not use up the member's three seconds. */
const PUT_TIMEOUT_MS = 1_500;

interface ShardInboxParts<Services> extends Cluster {
  untaken: UntakenInteractions<Services>;
  /** Undefined if the bot does not read messages. */
  threads: FollowedThreads | undefined;
  onHandOver: ((what: 'interaction' | 'message', outcome: 'passed' | 'failed') => void) | undefined;
}

/** Puts what arrives from Discord into the inbox of the partition that handles it. */
export class ShardInbox<Services> {
  readonly #parts: ShardInboxParts<Services>;

  constructor(parts: ShardInboxParts<Services>) {
    this.#parts = parts;
  }

  async pass(packet: GatewayDispatchPayload): Promise<void> {
    const { partitions, inbox, untaken, onHandOver, clock, log } = this.#parts;
    if (packet.t === GatewayDispatchEvents.MessageCreate) return this.#passMessage(packet);
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    const partition = partitionOf(routingBucketOf(packet.d), partitions.count);
    const put = inbox.put(partition, { id: packet.d.id, content: packet });
    const isPut = await isDoneWithin(clock, PUT_TIMEOUT_MS, put).catch((error: unknown) => {
      log.warn({ partition, err: error }, 'An interaction could not be passed on.');
      return false;
    });
    onHandOver?.('interaction', isPut ? 'passed' : 'failed');
    if (isPut) untaken.watch(partition, packet);
    else await untaken.refuse(packet);
  }

  /** Every message from every server arrives here. A failure is retried by the caller; a message that is queued twice is answered once. */
  async #passMessage(packet: GatewayMessageCreateDispatch): Promise<void> {
    const { inbox, threads, onHandOver, clock } = this.#parts;
    const partition = threads?.partitionOf(packet.d.channel_id);
    const content = partition === undefined ? undefined : threadPacketIn(packet);
    if (partition === undefined || !content) return;
    try {
      const put = inbox.put(partition, { id: content.d.id, content });
      if (!(await isDoneWithin(clock, PUT_TIMEOUT_MS, put))) throw new Error('The queue does not respond.');
    } catch (error) {
      onHandOver?.('message', 'failed');
      throw error;
    }
    onHandOver?.('message', 'passed');
  }
}
