import { parseArgs } from 'node:util';
import { machineLoad } from '../cluster/machine-load.ts';
import { BenchServer, isServerKind } from '../cluster/store.ts';
import { measureShipped } from './shipped.ts';
import { measureWithGuilds } from './with-guilds.ts';

const COMMANDS_PER_SECOND = 50;

/** npm run bench shards [-- --store redis|postgres] [--part shipped-16|shipped-1|guilds] [--rate N] */
export async function measureShards(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { store: { type: 'string' }, part: { type: 'string', multiple: true }, rate: { type: 'string' } },
  });
  const { store = 'redis', rate = String(COMMANDS_PER_SECOND) } = values;
  if (!isServerKind(store)) throw new Error(`--store must be redis or postgres, not ${store}.`);
  const perSecond = Number(rate);
  const measurements: Readonly<Record<string, (server: BenchServer) => Promise<void>>> = {
    'shipped-16': (server) => measureShipped(server, { perSecond, maxConcurrency: 16 }),
    'shipped-1': (server) => measureShipped(server, { perSecond, maxConcurrency: 1 }),
    guilds: measureWithGuilds,
  };
  const server = await BenchServer.create(store);
  try {
    for (const name of values.part ?? Object.keys(measurements)) {
      const measure = measurements[name];
      if (!measure)
        throw new Error(`There is no part ${name}. Choose one of: ${Object.keys(measurements).join(', ')}.`);
      await measure(server);
      console.log(`\n${store}. ${machineLoad()}`);
    }
  } finally {
    await server.close();
  }
}
