import type { Config } from './config.ts';
import { systemClock } from './lib/clock.ts';
import { once } from './lib/once.ts';
import type { App, AppTools } from './roles/app.ts';
import { openReload } from './roles/reload.ts';

/** The start function of each `ATELIER_ROLE`. A process loads the code of its own role only. */
const startFunctions = {
  all: async () => (await import('./roles/all.ts')).startAll,
  shard: async () => (await import('./roles/shard.ts')).startShard,
  worker: async () => (await import('./roles/worker.ts')).startWorker,
} as const;

/** Starts the bot. The sandbox and the tests start the same app. */
export async function startApp(config: Config, tools: AppTools): Promise<App> {
  const monitoring = await loadMonitoring(config, tools);
  try {
    const start = await startFunctions[config.cluster.role]();
    // A reload replaces its sections, so this object always has what is in force.
    const settings = { ...config };
    const role = await start(settings, tools, monitoring);
    const { readSettings: read, log } = tools;
    const reload = read && openReload({ settings, read, role, log });
    return {
      ...role,
      reload: reload?.run,
      stop: once(async () => {
        monitoring?.markStopping();
        await reload?.stop();
        await role.stop();
        await monitoring?.close();
      }),
    };
  } catch (error) {
    await monitoring?.close();
    throw error;
  }
}

/** Monitoring is loaded only if a port is set, because it requires a web server and a metrics library. */
async function loadMonitoring({ http }: Config, { clock = systemClock, ...tools }: AppTools) {
  const { port } = http;
  if (port === undefined) return undefined;
  const monitoring = await import('./monitoring/monitoring.ts');
  return monitoring.openMonitoring({ ...http, port }, { ...tools, clock });
}
