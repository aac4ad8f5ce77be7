import {
  GatewayDispatchEvents as Events,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10';
import { isDoneWithin } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { FollowedThreads } from '../../services/cluster/followed-threads.ts';
import type { Packet } from '../../services/cluster/inbox.ts';
import type { Cluster } from '../../services/cluster/open-cluster.ts';
import { bucketOf, homeOf, partitionOf } from '../../services/tasks/homes.ts';
import { isMessageForBot, memberPacketIn, messageEventIn } from '../member-message.ts';
import type { Identity } from '../outbox/identity.ts';
import { routingBucketOf } from './routing.ts';
import type { UntakenInteractions } from './untaken.ts';

/** A queue server that does not respond must not use up the member's three seconds. */
const PUT_TIMEOUT_MS = 1_500;

/** As many messages as may be edited or deleted while their answers are in progress. */
const MAX_PASSED_MESSAGES = 10_000;

interface ShardInboxParts<Services> extends Cluster {
  untaken: UntakenInteractions<Services>;
  /** Undefined if the bot does not read messages in threads. */
  threads: FollowedThreads | undefined;
  /** Undefined if the bot does not answer messages to it. */
  mentioned: Identity | undefined;
  onHandOver: ((what: 'interaction' | 'message', outcome: 'passed' | 'failed') => void) | undefined;
}

/** Puts what arrives from Discord into the inbox of the partition that handles it. */
export class ShardInbox<Services> {
  readonly #parts: ShardInboxParts<Services>;
  /** The partitions that got the latest messages, for their edits and deletions. All others are dropped. */
  readonly #passedMessages = new RecentMap<string, number>(MAX_PASSED_MESSAGES);

  constructor(parts: ShardInboxParts<Services>) {
    this.#parts = parts;
  }

  async pass(packet: GatewayDispatchPayload): Promise<void> {
    const { partitions, inbox, untaken, onHandOver, clock, log } = this.#parts;
    if (packet.t !== Events.InteractionCreate) return this.#passMessage(packet);
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
  async #passMessage(packet: GatewayDispatchPayload): Promise<void> {
    if (packet.t === Events.MessageCreate) {
      const partition = this.#partitionFor(packet.d);
      const content = partition === undefined ? undefined : memberPacketIn(packet);
      if (partition === undefined || !content) return;
      this.#passedMessages.set(content.d.id, partition);
      return this.#put(partition, { id: content.d.id, content });
    }
    if (packet.t === Events.MessageUpdate) {
      const partition = this.#passedMessages.get(packet.d.id);
      const content = partition === undefined ? undefined : memberPacketIn(packet);
      if (partition === undefined || !content) return;
      return this.#put(partition, { id: `${content.d.id}-${packet.s}`, content });
    }
    const found = messageEventIn(packet, undefined);
    if (found?.event !== 'deleted') return;
    for (const id of found.ids) {
      const partition = this.#passedMessages.get(id);
      const content = { t: Events.MessageDelete, d: { id } };
      if (partition !== undefined) await this.#put(partition, { id: `${id}-deleted`, content });
    }
  }

  #partitionFor(message: GatewayMessageCreateDispatchData): number | undefined {
    const { threads, mentioned, partitions } = this.#parts;
    if (!mentioned || !isMessageForBot(message, mentioned.userId)) return threads?.partitionOf(message.channel_id);
    const home = homeOf(message.guild_id, { memberId: message.author.id, isDirect: false });
    return threads?.partitionOf(message.channel_id) ?? partitionOf(bucketOf(home), partitions.count);
  }

  async #put(partition: number, packet: Packet): Promise<void> {
    const { inbox, onHandOver, clock } = this.#parts;
    try {
      if (!(await isDoneWithin(clock, PUT_TIMEOUT_MS, inbox.put(partition, packet))))
        throw new Error('The queue does not respond.');
    } catch (error) {
      onHandOver?.('message', 'failed');
      throw error;
    }
    onHandOver?.('message', 'passed');
  }
}
