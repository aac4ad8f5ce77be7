import { kindSpecs } from '../src/commands/index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/log.ts';
import type { OtherPartitions } from '../src/services/orders/other-partitions.ts';
import type { PreferenceOwner } from '../src/services/orders/preference-set.ts';
import { homeOfPreferences, type PreferencePlace, Preferences } from '../src/services/orders/preferences.ts';
import { nameHolder } from '../src/services/store/holder.ts';
import { openPartitions } from '../src/services/store/partitions.ts';
import type { StoredTasks } from '../src/services/store/stored-tasks.ts';
import { bucketOf, partitionOf } from '../src/services/tasks/homes.ts';
import { availableStores, type BenchStore } from './store/places.ts';
import { median, percentile, table } from './table.ts';

const ROUNDS = 2_000;
const PARTITIONS = 2;
const GUILD = '1';
const ids = Array.from({ length: 20 }, (_, index) => String(index + 100));

const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const partitionFor = (owner: PreferenceOwner): number => partitionOf(bucketOf(homeOfPreferences(owner)), PARTITIONS);

/** Measures what settings add to an order in a cluster: the reply waits for them once, and the order reads them again. */
export async function measureSettings(): Promise<void> {
  const servers = availableStores().slice(2);
  const rows: string[][] = [];
  for (const open of servers) rows.push(...(await measureServer(await open())));
  console.log(
    `Settings of a member, whose partition is another one, of a channel and of its server; ${ROUNDS} times each\n`,
  );
  console.log(table(['', 'reply waits, median ms', 'p95 ms', 'order reads, median ms', 'p95 ms'], rows));
}

async function measureServer(place: BenchStore): Promise<string[][]> {
  const parts = { specs: kindSpecs, log, clock: systemClock, holder: nameHolder(), partitions: PARTITIONS };
  const partitions = await openPartitions(place.address, parts);
  const stores = await Promise.all(Array.from({ length: PARTITIONS }, (_, number) => partitions.open(number)));
  try {
    const number = partitionFor({ guildId: GUILD });
    const memberId = ids.find((id) => partitionFor({ memberId: id }) !== number) ?? '';
    const at: PreferencePlace = { memberId, guildId: GUILD, channelId: '2', install: 'guild' };
    const preferences = preferencesOf(stores, number);
    const without = await measure(preferences, at);
    const set = () => ({ set: { isPrivate: false, aspect: '3:2', language: 'de' as const } });
    await preferencesOf(stores, 1 - number).change({ memberId }, memberId, set);
    for (const owner of [{ guildId: GUILD }, { guildId: GUILD, channelId: '2' }])
      await preferences.change(owner, memberId, set);
    const withAll = await measure(preferences, at);
    return [
      [`${place.name}, none set`, ...without],
      [`${place.name}, all set`, ...withAll],
    ];
  } finally {
    for (const store of stores) await store.close();
    await partitions.close();
    await place.close();
  }
}

function preferencesOf(stores: readonly StoredTasks[], number: number): Preferences {
  const others: OtherPartitions = {
    ownNumber: number,
    numbers: [1 - number],
    find: async (partition) => stores[partition],
    all: async () => [],
    send: async () => undefined,
  };
  const store = stores[number];
  if (!store) throw new Error(`There is no partition ${number}.`);
  return new Preferences({ store, partition: { number, count: PARTITIONS }, others, clock: systemClock, log });
}

async function measure(preferences: Preferences, place: PreferencePlace): Promise<string[]> {
  const waits = await timesOf(() => preferences.refresh(place));
  const reads = await timesOf(() => preferences.read(place));
  return [waits, reads].flatMap((times) => [median(times).toFixed(2), percentile(times, 0.95).toFixed(2)]);
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    if (round >= ROUNDS / 10) times.push(performance.now() - start);
  }
  return times;
}
