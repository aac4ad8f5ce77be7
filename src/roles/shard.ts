import {
  type APIInteraction,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatch,
  InteractionType,
} from 'discord.js';
import { kindSpecs, texts } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { intentsOf, openDiscordClients } from '../discord/outbox/clients.ts';
import { isTooLate } from '../discord/outbox/errors.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { Responder } from '../discord/outbox/responder.ts';
import { requireMessageContent } from '../discord/reads.ts';
import { openShards, type Shards } from '../discord/shards/open-shards.ts';
import { bucketFor } from '../discord/shards/routing.ts';
import { threadPacketIn } from '../discord/thread-message.ts';
import { type Clock, pause, systemClock, withTimeout } from '../lib/clock.ts';
import { trackUntilDone } from '../lib/track-until-done.ts';
import { createSay } from '../locales/index.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { FollowedThreads } from '../services/cluster/followed-threads.ts';
import { openCluster } from '../services/cluster/open-cluster.ts';
import { partitionOf } from '../services/tasks/homes.ts';
import type { App, AppTools } from './app.ts';

/** Discord waits three seconds for the first response. Without one by then, the member is told to try again. */
const UNTAKEN_MS = 2_000;
/** A queue server that does not respond must not use up the member's three seconds. */
const PUT_LIMIT_MS = 1_500;
const CONNECTION_CHECK_MS = 100;

/** A process that receives interactions from Discord, and passes each on to the partition that answers it. */
export async function startShard(config: Config, tools: AppTools, monitoring: Monitoring | undefined): Promise<App> {
  const { log, version, clock = systemClock } = tools;
  const say = createSay(texts);
  const cluster = await openCluster(config, {
    ...{ log, clock, version, specs: kindSpecs, onUse: monitoring?.onStoreUse },
    mayMigrate: tools.mayMigrate,
  });
  const { partitions, facts, inbox, holder } = cluster;
  const clients = openDiscordClients(config.discord.apiUrl);
  const { client, reads } = clients;
  client.rest.setToken(config.discord.token);
  const outbox = new Outbox(clients, log);
  const pending = new Set<Promise<unknown>>();

  /** Discord accepts only one first response, so this does not disturb a worker that is about to answer. */
  async function refuse(interaction: APIInteraction): Promise<void> {
    const { application_id: applicationId, id: interactionId, token, type } = interaction;
    const responder = new Responder(outbox, { applicationId, interactionId, token });
    try {
      if (type === InteractionType.ApplicationCommandAutocomplete) await responder.suggest([]);
      else await responder.replyPrivately({ content: say('refusals.stopping') });
    } catch (error) {
      // A resumed session repeats interactions, some of which have been answered already or are too old to be answered.
      if (!isTooLate(error)) log.info({ err: error }, 'A member could not be told to try again.');
    }
  }

  async function refuseUntaken(partition: number, interaction: APIInteraction): Promise<void> {
    await pause(clock, UNTAKEN_MS);
    try {
      if (!(await inbox.withdraw(partition, interaction.id))) return;
      monitoring?.onUntaken();
      log.warn({ partition }, 'No worker took an interaction in time.');
      await refuse(interaction);
    } catch (error) {
      log.warn({ partition, err: error }, 'It is unknown whether a worker took an interaction.');
    }
  }

  /** Every message from every server arrives here. A failure is retried by the caller; a message that is put in twice is answered once. */
  async function passMessage(packet: GatewayMessageCreateDispatch): Promise<void> {
    const partition = threads?.partitionOf(packet.d.channel_id);
    const content = partition === undefined ? undefined : threadPacketIn(packet);
    if (partition === undefined || !content) return;
    try {
      const put = inbox.put(partition, { id: content.d.id, content }).then(() => 'put' as const);
      if ((await withTimeout(clock, PUT_LIMIT_MS, put)) !== 'put') throw new Error('The queue does not respond.');
    } catch (error) {
      monitoring?.onHandOver('message', 'failed');
      throw error;
    }
    monitoring?.onHandOver('message', 'passed');
  }

  async function pass(packet: GatewayDispatchPayload): Promise<void> {
    if (packet.t === GatewayDispatchEvents.MessageCreate) return passMessage(packet);
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    const partition = partitionOf(bucketFor(packet.d), partitions.count);
    const put = inbox.put(partition, { id: packet.d.id, content: packet }).then(() => 'put' as const);
    const outcome = await withTimeout(clock, PUT_LIMIT_MS, put).catch((error: unknown) => {
      log.warn({ partition, err: error }, 'An interaction could not be passed on.');
      return undefined;
    });
    monitoring?.onHandOver('interaction', outcome === 'put' ? 'passed' : 'failed');
    if (outcome === 'put') void trackUntilDone(refuseUntaken(partition, packet.d), pending);
    else await refuse(packet.d);
  }

  let threads: FollowedThreads | undefined;
  try {
    const { storeLeaseMs: leaseMs, discord, cluster: settings } = config;
    if (discord.messageContent) {
      await requireMessageContent(reads, discord.token, log);
      threads = await FollowedThreads.open({ facts, clock, log });
    }
    const shards = await openShards({
      ...{ token: discord.token, reads, facts, holder, leaseMs, clock, log },
      intents: intentsOf(discord),
      shardCount: settings.shards,
      onDispatch: pass,
    });
    monitoring?.readiness.watch({
      isDiscordReady: () => shards.isConnected(),
      store: { mustBeOurs: () => undefined, trouble: () => partitions.trouble(), unsaved: () => 0 },
      // A shard process sends no requests to the gateway.
      gateway: { answeredAt: () => clock.now(), ask: async () => undefined },
    });
    monitoring?.watchDiscord(clients);
    monitoring?.watchPartitions({ count: partitions.count, owners: () => partitions.owners() });
    monitoring?.watchShards(shards, () => threads?.count ?? 0);
    void connected(shards, clock).then(() =>
      log.info({ version, shards: shards.count, partitions: partitions.count }, 'This shard process is ready.'),
    );
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      monitoring?.stopping();
      await shards.close();
      threads?.close();
      await Promise.all(pending);
      await Promise.all([clients.close(), cluster.close()]);
      await monitoring?.close();
      log.info('This shard process has stopped.');
    };
    return {
      connectionLost: shards.refused,
      storeLost: Promise.withResolvers<never>().promise,
      stop() {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    threads?.close();
    await Promise.all([clients.close(), cluster.close()]);
    throw error;
  }
}

async function connected(shards: Shards, clock: Clock): Promise<void> {
  while (!shards.isConnected()) await pause(clock, CONNECTION_CHECK_MS);
}
