import { once } from 'node:events';
import { createDiscordClients } from '../../src/discord/outbox/clients.ts';
import { openShards } from '../../src/discord/shards/open-shards.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { nameHolder } from '../../src/services/store/holder.ts';
import { openSharedFacts } from '../../src/services/store/partitions.ts';
import type { SocketsFigures, SocketsOptions } from './orders.ts';

/** Runs only the shards of a shard process, with any intents; events are read and dropped. */

const LEASE_MS = 10_000;
const STORE_LIMIT_MS = 4_000;
const CHECK_INTERVAL_MS = 50;

const {
  intents,
  shards: shardCount,
  guilds,
  storeUrl,
  apiUrl,
  token,
} = JSON.parse(process.argv[2] ?? '') as SocketsOptions;
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const facts = await openSharedFacts(
  { url: storeUrl, scheme: storeUrl.split(':')[0] ?? '' },
  { log, clock: systemClock, limitMs: STORE_LIMIT_MS },
);
const clients = createDiscordClients(apiUrl);
clients.rest.setToken(token);
let guildCount = 0;
const start = performance.now();
const shards = await openShards({
  token,
  reads: clients.reads,
  facts,
  holder: nameHolder(),
  leaseMs: LEASE_MS,
  clock: systemClock,
  log,
  intents,
  shardCount,
  async onDispatch({ t }) {
    if (t === 'GUILD_CREATE') guildCount += 1;
  },
});
const checkTimer = setInterval(() => {
  if (!shards.isConnected() || guildCount < guilds) return;
  clearInterval(checkTimer);
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const peakBytes = process.resourceUsage().maxRSS * 1_024;
  process.send?.({
    ms: performance.now() - start,
    cpuMs: (user + system) / 1_000,
    residentBytes: rss,
    peakBytes,
    heapBytes: heapUsed,
  } satisfies SocketsFigures);
}, CHECK_INTERVAL_MS);
await once(process, 'disconnect');
await shards.close();
await Promise.all([clients.close(), facts.close()]);
