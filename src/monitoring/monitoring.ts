import type { Funnel } from '../discord/funnel.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { MediaProcess } from '../services/media/media-process.ts';
import type { Domains } from '../services/operations/engine.ts';
import { ReadinessCheck, readyParts } from '../services/operations/readiness.ts';
import type { Scheduler } from '../services/orders/scheduler.ts';
import type { StoreAddress } from '../services/store/backend.ts';
import type { StoreUseListener } from '../services/store/namespaces.ts';
import { measureCluster } from './cluster.ts';
import { Metrics } from './metrics.ts';
import { measureFiles, measureProcess } from './process.ts';
import { type HttpSettings, startServer } from './server.ts';
import { countTasks, measureLimits, measureTasks, refusalCounter } from './tasks.ts';

interface MeasuredBot {
  /** The number of its partition. */
  partition: number;
  domains: Domains;
  gateway: Gateway;
  router: { onAcknowledged(listener: (ms: number) => void): void };
  funnel: Funnel;
}

interface ProcessParts {
  /** The bots of this process: one, or one for each partition that it owns. */
  bots(): readonly MeasuredBot[];
  /** All of them poll through it. */
  scheduler: Scheduler;
  mediaProcess: MediaProcess;
  storeAddress: StoreAddress;
}

export type Monitoring = Awaited<ReturnType<typeof openMonitoring>>;

/** Opens the port immediately, so the bot can be probed while it starts. Call the `watch…` functions once the parts that they watch are open. */
export async function openMonitoring(
  settings: HttpSettings,
  { version, clock, log }: { version: string; clock: Clock; log: Log },
) {
  const metrics = new Metrics(log);
  const readiness = new ReadinessCheck(clock);
  const onFailure = refusalCounter(metrics);
  const server = await startServer(settings, { readiness, metrics, log });
  const stopMeasuring = measureProcess(metrics, version);
  metrics.registerGauge('ready', async () => {
    const state = await readiness.check();
    return readyParts.map((part) => ({ labels: { part }, value: state[part] === undefined ? 1 : 0 }));
  });
  log.info({ host: settings.host, port: server.port }, 'Serving /livez, /readyz and /metrics.');
  const onStoreUse: StoreUseListener = ({ operation, ms, failure }) => {
    metrics.observe('storeTime', { operation }, ms / 1000);
    if (failure !== undefined) metrics.count('storeFailures', { operation });
  };
  return {
    readiness,
    onStoreUse,

    /** For a process that runs bots. */
    watch({ bots, scheduler, mediaProcess, storeAddress }: ProcessParts): void {
      measureTasks(metrics, () => bots().map(({ domains }) => domains));
      // Every partition knows the limits of the whole bot, so only one reports them.
      measureLimits(metrics, () => bots().find(({ partition }) => partition === 0)?.domains);
      scheduler.onPoll((lane, outcome) => metrics.count('polls', { lane, outcome }));
      measureFiles(metrics, mediaProcess, storeAddress);
      metrics.registerGauge('answeredAt', () => {
        const latest = Math.max(0, ...bots().map(({ gateway }) => gateway.answeredAt() ?? 0));
        return [{ labels: {}, value: latest / 1000 }];
      });
    },

    watchBot({ domains, router, funnel }: MeasuredBot): void {
      router.onAcknowledged((ms) => metrics.observe('acknowledgement', {}, ms / 1000));
      funnel.onFailure(onFailure);
      countTasks(metrics, domains, onFailure);
    },

    watchDiscord(clients: DiscordClients): void {
      clients.traffic.onRequest((route, status) =>
        metrics.count('requests', { route, status: String(status ?? 'none') }),
      );
      clients.traffic.onWait((scope, ms) => metrics.observe('rateLimitWait', { scope }, ms / 1000));
    },

    ...measureCluster(metrics),

    /** Reports the bot as not ready from now on. It is still monitored until it has stopped. */
    markStopping: (): void => readiness.stop(),

    async close(): Promise<void> {
      stopMeasuring();
      await server.close();
    },
  };
}
