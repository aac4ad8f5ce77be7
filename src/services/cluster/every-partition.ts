import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { hashedName } from '../hashed-names.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { NO_RULES, type ServerRules } from '../rules/server-rules.ts';
import { type Partitions, ReadOnlyTasks } from '../store/index.ts';
import { bucketOf, partitionOf } from '../tasks/homes.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import type { OtherPartitions, PartitionRows } from '../tasks/other-partitions.ts';
import { readMemberFacts } from '../tasks/own-data/about-member.ts';
import { erasureMessage } from '../tasks/own-data/erasure-messages.ts';

/** The type of packets that partitions send to each other. Packets from Discord have other types. */
const FROM_PARTITION = 'FROM_PARTITION';

/** The message from another partition that a packet contains; undefined for any other packet. */
export function messageIn(content: unknown) {
  const { t, d } = content as { t?: unknown; d?: unknown };
  return t === FROM_PARTITION ? erasureMessage.parse(d) : undefined;
}

interface EveryPartitionParts {
  partitions: Pick<Partitions, 'count' | 'rows'>;
  inbox: Pick<Inbox, 'put'>;
  log: Log;
  clock: Clock;
  specs: KindSpecs;
}

/** The rows of all partitions, read directly from the server; shared by the bots of this process. */
export class EveryPartition {
  readonly #parts: EveryPartitionParts;
  readonly #cached = new Map<number, PartitionRows>();

  constructor(parts: EveryPartitionParts) {
    this.#parts = parts;
  }

  /** Undefined if there are no others. */
  otherPartitions(ownNumber: number): OtherPartitions | undefined {
    const { partitions, inbox } = this.#parts;
    if (partitions.count === 1) return undefined;
    const numbers = Array.from({ length: partitions.count }, (_, index) => index).filter(
      (number) => number !== ownNumber,
    );
    return {
      ...{ ownNumber, numbers },
      find: async (partition) => (partition === ownNumber ? undefined : this.#rows(partition)),
      all: async () =>
        (await Promise.all(numbers.map((number) => this.#rows(number)))).filter((one) => one !== undefined),
      send: (partition, message) =>
        inbox.put(partition, { id: randomUUID(), content: { t: FROM_PARTITION, d: message } }),
    };
  }

  /** The rules of a server, read from its home partition. */
  async rulesOf(guildId: string): Promise<ServerRules> {
    const rows = await this.#rows(partitionOf(bucketOf(guildId), this.#parts.partitions.count));
    return (await rows?.rulesOf(guildId)) ?? NO_RULES;
  }

  async #rows(partition: number): Promise<PartitionRows | undefined> {
    const cached = this.#cached.get(partition);
    if (cached) return cached;
    const { partitions, log, clock, specs } = this.#parts;
    const backend = await partitions.rows(partition);
    if (!backend) return undefined;
    const store = new ReadOnlyTasks(backend, { log, clock, specs });
    const rows: PartitionRows = {
      entries: store.entries,
      page: (query) => store.page(query),
      get: (id) => store.get(id),
      pseudonymOf: (memberId) => store.decisions.pseudonyms.get(memberId),
      isErasing: (memberId) => store.isErasing(memberId),
      rulesOf: (guildId) => store.decisions.rules.read(guildId),
      async factsAbout(memberId) {
        const secret = (await store.hashSecret()) ?? '';
        return readMemberFacts(memberId, store.decisions, (name) => hashedName(name, secret));
      },
    };
    this.#cached.set(partition, rows);
    return rows;
  }
}
