import type { DiscordClients } from '../discord/outbox/clients.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Engine } from '../services/engine.ts';
import type { Gateway } from '../services/gateway/index.ts';
import { ReadinessCheck, readyParts } from '../services/readiness.ts';
import type { StoreAddress } from '../services/store/index.ts';
import type { NoteStoreUse } from '../services/store/namespaces.ts';
import { Metrics } from './metrics.ts';
import type { HttpSettings } from './port.ts';
import { refusalCounter } from './refusals.ts';
import { openServer } from './server.ts';
import { measureFiles, measureProcess } from './system.ts';
import { measureTasks } from './tasks.ts';

interface BotParts {
  engine: Engine;
  storeAddress: StoreAddress;
  gateway: Pick<Gateway, 'answeredAt'>;
  clients: Pick<DiscordClients, 'traffic'>;
}

export type Monitoring = Awaited<ReturnType<typeof openMonitoring>>;

/** Opens the port immediately, so the bot can be probed while it starts. Call `watch` once its parts are open. */
export async function openMonitoring(
  settings: HttpSettings,
  { version, clock, log }: { version: string; clock: Clock; log: Log },
) {
  const metrics = new Metrics(log);
  const readiness = new ReadinessCheck(clock);
  const onFailure = refusalCounter(metrics);
  const server = await openServer(settings, { readiness, metrics, log });
  const endMeasuring = measureProcess(metrics, version);
  metrics.read('ready', async () => {
    const state = await readiness.check();
    return readyParts.map((part) => ({ labels: { part }, value: state[part] === undefined ? 1 : 0 }));
  });
  log.info({ host: settings.host, port: server.port }, 'Serving /livez, /readyz and /metrics.');
  const onStoreUse: NoteStoreUse = ({ operation, ms, failure }) => {
    metrics.observe('storeTime', { operation }, ms / 1000);
    if (failure !== undefined) metrics.count('storeFailures', { operation });
  };
  return {
    readiness,
    onStoreUse,
    onFailure,
    onAcknowledged: (ms: number): void => metrics.observe('acknowledgement', {}, ms / 1000),

    watch({ engine, storeAddress, gateway, clients }: BotParts): void {
      measureTasks(metrics, engine, onFailure);
      measureFiles(metrics, engine, storeAddress);
      metrics.read('answeredAt', () => [{ labels: {}, value: (gateway.answeredAt() ?? 0) / 1000 }]);
      clients.traffic.onRequest((route, status) =>
        metrics.count('requests', { route, status: String(status ?? 'none') }),
      );
      clients.traffic.onWait((scope, ms) => metrics.observe('rateLimitWait', { scope }, ms / 1000));
    },

    /** From now on the bot is not ready, but it is still monitored until it has stopped. */
    stopping: (): void => readiness.stop(),

    async close(): Promise<void> {
      endMeasuring();
      await server.close();
    },
  };
}
