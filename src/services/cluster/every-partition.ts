import { randomUUID } from 'node:crypto';
import { isRecord } from '../../lib/exact-json.ts';
import { type OtherPartitions, partitionMessage } from '../orders/other-partitions.ts';
import type { EarlyPreferences } from '../orders/preference-set.ts';
import { earlyPreferencesOf, homeOfPreferences, type PreferencePlace, readPreferred } from '../orders/preferences.ts';
import { NO_RULES, type ServerRules } from '../safety/server-rules.ts';
import type { StoredTasks } from '../store/stored-tasks.ts';
import { bucketOf, partitionOf } from '../tasks/homes.ts';
import type { Cluster } from './open-cluster.ts';

/** The type of packets that partitions send to each other. Packets from Discord have other types. */
const FROM_PARTITION = 'FROM_PARTITION';

/** The message from another partition that a packet contains; undefined for any other packet. */
export function messageIn(content: unknown) {
  return isRecord(content) && content.t === FROM_PARTITION ? partitionMessage.parse(content.d) : undefined;
}

/** The rows of all partitions, read directly from the server; shared by the bots of this process. */
export function openEveryPartition({ partitions, inbox }: Cluster) {
  const opened = new Map<number, Promise<StoredTasks | undefined>>();
  /** Opens each partition once, also if several readers need it at the same time. */
  const read = async (partition: number): Promise<StoredTasks | undefined> => {
    const opening = opened.get(partition) ?? partitions.read(partition);
    opened.set(partition, opening);
    const store = await opening.catch((error: unknown) => {
      opened.delete(partition);
      throw error;
    });
    if (!store) opened.delete(partition);
    return store;
  };
  const rowsAt = (home: string) => read(partitionOf(bucketOf(home), partitions.count));
  return {
    otherPartitions(ownNumber: number): OtherPartitions | undefined {
      const { count } = partitions;
      if (count === 1) return undefined;
      const numbers = Array.from({ length: count }, (_, index) => index).filter((number) => number !== ownNumber);
      return {
        ownNumber,
        numbers,
        find: async (partition) => (partition === ownNumber ? undefined : read(partition)),
        all: async () => (await Promise.all(numbers.map(read))).filter((one) => one !== undefined),
        send: (partition, message) =>
          inbox.put(partition, { id: randomUUID(), content: { t: FROM_PARTITION, d: message } }),
      };
    },
    /** The rules of a server, read from its home partition. */
    rulesOf: async (guildId: string): Promise<ServerRules> =>
      (await (await rowsAt(guildId))?.rules.get({ guildId })) ?? NO_RULES,
    /** What the settings of a member, a channel and a server say about the first response. */
    earlyPreferences: async (place: PreferencePlace): Promise<EarlyPreferences> =>
      earlyPreferencesOf(
        await readPreferred(place, async (owner) => (await rowsAt(homeOfPreferences(owner)))?.preferences.get(owner)),
      ),
  };
}
