import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { openShards } from '../../../src/discord/shards/open-shards.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { openSharedFacts } from '../../../src/services/store/partitions.ts';

// A separate shard process, which a test can kill. It reports to its parent what it does.

const [apiUrl = '', token = '', url = '', scheme = '', lease = '', machine = '', heldNumber = ''] =
  process.argv.slice(2);
const report = (message: object): void => void process.send?.(message);
const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => report({ line }) });
const clients = createDiscordClients(apiUrl);
clients.rest.setToken(token);
/** How many interactions each shard has received. The one with the number `heldNumber` is not passed on. */
const interactionCounts = new Map<number, number>();
const leaseMs = Number(lease);
const shards = await openShards({
  token,
  reads: clients.reads,
  intents: 0,
  leaseMs,
  clock: systemClock,
  log,
  facts: await openSharedFacts({ url, scheme }, { log, clock: systemClock, limitMs: leaseMs }),
  // As on another machine, the holder's name does not identify the process, so no other process can tell that it has ended.
  holder: machine === 'elsewhere' ? (nameHolder().split(' ')[0] ?? '') : nameHolder(),
  async onDispatch(packet, shardId) {
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    const { id } = packet.d;
    const number = (interactionCounts.get(shardId) ?? 0) + 1;
    interactionCounts.set(shardId, number);
    if (number !== Number(heldNumber)) return report({ taken: id });
    report({ held: id });
    // Behaves as if the queue took a long time, until the process is killed.
    await Promise.withResolvers<void>().promise;
  },
});
const { promise, resolve } = Promise.withResolvers<void>();
const checkTimer = setInterval(() => {
  if (!shards.isConnected() || shards.ids.length === 0) return;
  clearInterval(checkTimer);
  resolve();
}, 20);
await promise;
report({ connected: shards.ids });
