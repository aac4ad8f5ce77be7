import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { isErasingIn, type OtherPartitions, type PartitionRows } from './other-partitions.ts';

/** A partition of the store. In each, the same members may have names already. */
type PseudonymRows = Pick<PartitionRows, 'pseudonyms' | 'erasures'>;

/**
 * The names under which members' requests are sent, so that the gateway's records can be compared with the bot's. They are
 * random, so after an erasure nothing links the old name to the member, and their next request uses another one.
 */
export class Pseudonyms {
  readonly #rows: PseudonymRows;
  readonly #others: Pick<OtherPartitions, 'all'> | undefined;
  readonly #lock = new KeyedLock();

  /** `others`: undefined if this partition contains all members. */
  constructor(rows: PseudonymRows, others?: Pick<OtherPartitions, 'all'>) {
    this.#rows = rows;
    this.#others = others;
  }

  getOrCreate(memberId: string): Promise<string> {
    return this.#lock.run(memberId, async () => {
      const existing = await this.current(memberId);
      if (existing !== undefined) return existing;
      const pseudonym = (await this.#findElsewhere(memberId)) ?? `atelier-${randomBytes(12).toString('hex')}`;
      await this.#rows.pseudonyms.put({ memberId, pseudonym });
      return pseudonym;
    });
  }

  /** The name currently in use, for an export. */
  async current(memberId: string): Promise<string | undefined> {
    return (await this.#rows.pseudonyms.get({ memberId }))?.pseudonym;
  }

  erase(memberId: string): Promise<void> {
    return this.#lock.run(memberId, () => this.#rows.pseudonyms.remove({ memberId }));
  }

  /** An erasure that has already covered this store must not be followed by a name that it has yet to erase elsewhere. */
  async #findElsewhere(memberId: string): Promise<string | undefined> {
    if (!this.#others) return undefined;
    const others = await this.#others.all();
    if (await isErasingIn([this.#rows, ...others], memberId)) return undefined;
    const found = await Promise.all(others.map((rows) => rows.pseudonyms.get({ memberId })));
    return found.find((row) => row !== undefined)?.pseudonym;
  }
}
