import { kindSpecs, kindsOf } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { loadIdentity } from '../discord/outbox/identity.ts';
import { systemClock } from '../lib/clock.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { openClusterCallbacks, openClusterUrls } from '../services/cluster/cluster-callbacks.ts';
import { Membership } from '../services/cluster/membership.ts';
import { openCluster } from '../services/cluster/open-cluster.ts';
import { publishHealth } from '../services/cluster/partition-health.ts';
import { createGateway } from '../services/gateway/gateway.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import type { AppTools, RunningRole } from './app.ts';
import { WorkerBots } from './worker-bots.ts';

/**
 * A process that answers what shard processes receive: for each partition that it owns, it runs a bot with the partition's store, and hands it the
 * partition's packets.
 */
export async function startWorker(
  config: Config,
  tools: AppTools,
  monitoring: Monitoring | undefined,
): Promise<RunningRole> {
  const { log, version, clock = systemClock } = tools;
  const context = { clock, log };
  await using resources = new AsyncDisposableStack();
  const cluster = await openCluster(context, config, { version, specs: kindSpecs, onUse: monitoring?.onStoreUse });
  resources.defer(cluster.close);
  const { partitions, inbox } = cluster;
  const callbackUrls = await openClusterUrls(config.callbacks, cluster);
  const bots = new WorkerBots({ config, tools, monitoring, cluster, callbackUrls });
  resources.defer(() => bots.close());
  const { connections, limits, tracker, clients, mediaProcess } = bots;
  // All partitions share these lanes, so the lanes stay when a partition is released.
  const pollGateway = createGateway(config.gateway, { ...context, connections }, tools.gatewayLimits);
  resources.defer(pollGateway.close);
  for (const { source } of kindsOf(pollGateway, { ...config.poll, ...config.gateway }))
    if (source) tracker.laneOf(source);
  limits.scheduler.start();
  monitoring?.readiness.watch(bots.readinessSources);
  monitoring?.watchDiscord(clients);
  monitoring?.watch({
    bots: () => [...bots.running.values()],
    scheduler: limits.scheduler,
    mediaProcess,
    storeAddress: config.store,
  });
  monitoring?.watchPartitions(partitions.count, () => partitions.owners());
  monitoring?.watchWorker(
    () => [...bots.running.keys()],
    (partition) => inbox.waitingCount(partition),
  );
  await loadIdentity(clients, config.discord.token);
  const callbacks = await openClusterCallbacks(config.callbacks, callbackUrls, cluster, {
    ownCallbacks: (partition) => bots.running.get(partition)?.domains.tasks.callbacks,
    onOutcome: monitoring?.onCallback,
  });
  resources.defer(async () => callbacks?.close());
  const membership = await Membership.join(cluster, bots);
  const stopPublishing = publishHealth(cluster, bots.health);
  log.info({ version, partitions: partitions.count }, 'This worker is ready.');
  const opened = resources.move();
  return {
    connectionLost: Promise.withResolvers<number>().promise,
    cluster,
    prepareReload: bots.prepareReload,
    applyReload: bots.applyReload,
    storeLost: membership.lost.then((error) =>
      error instanceof StoreError ? error : new StoreError('failed', 'This worker could not continue.', error),
    ),
    async stop() {
      await membership.stop();
      await stopPublishing();
      await opened.disposeAsync();
      log.info('This worker has stopped.');
    },
  };
}
