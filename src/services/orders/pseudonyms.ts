import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { isErasingIn, type OtherPartitions, type PartitionRows } from './other-partitions.ts';

/** A partition of the store. In each, the same members may have names already. */
type PseudonymRows = Pick<PartitionRows, 'pseudonyms' | 'erasures'>;

export type Pseudonyms = ReturnType<typeof createPseudonyms>;

/**
 * The names under which members' requests are sent, so that the gateway's records can be compared with the bot's. They are
 * random, so after an erasure nothing links the old name to the member, and their next request uses another one.
 */
export function createPseudonyms(rows: PseudonymRows, others?: Pick<OtherPartitions, 'all'>) {
  const lock = new KeyedLock();
  const nameIn = async ({ pseudonyms }: PseudonymRows, memberId: string) =>
    (await pseudonyms.get({ memberId }))?.pseudonym;

  /** An erasure that has already covered this store must not be followed by a name that it has yet to erase elsewhere. */
  async function findElsewhere(memberId: string): Promise<string | undefined> {
    const otherRows = (await others?.all()) ?? [];
    if (otherRows.length === 0 || (await isErasingIn([rows, ...otherRows], memberId))) return undefined;
    const found = await Promise.all(otherRows.map((one) => nameIn(one, memberId)));
    return found.find((name) => name !== undefined);
  }

  return {
    getOrCreate: (memberId: string): Promise<string> =>
      lock.run(memberId, async () => {
        const existing = await nameIn(rows, memberId);
        if (existing !== undefined) return existing;
        const pseudonym = (await findElsewhere(memberId)) ?? `atelier-${randomBytes(12).toString('hex')}`;
        await rows.pseudonyms.put({ memberId, pseudonym });
        return pseudonym;
      }),

    current: (memberId: string): Promise<string | undefined> => nameIn(rows, memberId),

    erase: (memberId: string): Promise<void> => lock.run(memberId, () => rows.pseudonyms.remove({ memberId })),
  };
}
