import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { difference, sumOf, toPlainDecimal } from '../../src/lib/decimals.ts';
import { amountText } from '../gateway/decimal.ts';
import type { Ledger, LedgerEntry } from './protocol.ts';
import type { Stage } from './stage.ts';

/** More entries than anyone scrolls through. */
const MAX_ENTRIES = 50;

/** A row as the bot stores it: its first fact contains the estimate, its last one the current standing. */
interface StoredEntry {
  readonly id: string;
  readonly at: number;
  readonly memberId?: string;
  readonly guildId?: string;
  readonly kind: string;
  readonly model?: string;
  readonly facts: readonly { readonly standing: LedgerEntry['standing']; readonly amount?: string }[];
}

/** Compares the bot's ledger with the gateway's bill. Reads only data that the bot has stored. */
export function readLedger({ storeFile, discord, gateway }: Stage): Ledger {
  const { users, guilds } = discord.world;
  const entries = storedEntries(storeFile).map(
    ({ id, at, memberId = '', guildId = '', kind, model, facts }): LedgerEntry => {
      const { standing = 'reserved' } = facts.at(-1) ?? {};
      const cost = facts.findLast((fact) => fact.standing === 'settled' || fact.standing === 'waived')?.amount;
      const estimate = facts[0]?.amount;
      return {
        id,
        at,
        kind,
        standing,
        ...(model !== undefined && { model }),
        ...(users.has(memberId) && { member: users.get(memberId)?.name }),
        ...(guilds.has(guildId) && { server: guilds.get(guildId)?.name }),
        ...(estimate !== undefined && { estimate }),
        ...(cost !== undefined && { cost }),
      };
    },
  );
  const sum = (...standings: LedgerEntry['standing'][]): string =>
    sumOf(
      entries.flatMap(({ standing, cost, estimate }) => (standings.includes(standing) ? (cost ?? estimate ?? []) : [])),
    ) ?? '0';
  const settled = sum('settled');
  const waived = sum('waived');
  const bill = gateway.kind === 'embedded' ? amountText(gateway.embedded.usage.total(gateway.key)) : undefined;
  return {
    entries: entries.slice(-MAX_ENTRIES).reverse(),
    count: entries.length,
    reserved: sum('reserved'),
    unconfirmed: sum('unconfirmed'),
    settled,
    waived,
    ...(bill !== undefined && { bill, difference: toPlainDecimal(difference(difference(bill, settled), waived)) }),
  };
}

function storedEntries(file: string): StoredEntry[] {
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    // The bot creates the file before the table, which may not exist yet.
    if (!database.prepare(`SELECT name FROM sqlite_master WHERE name = 'atelier'`).get()) return [];
    const rows = database.prepare(`SELECT value FROM atelier WHERE namespace = 'ledger'`).all();
    const entries = rows.map(({ value }) => (JSON.parse(String(value)) as { value: StoredEntry }).value);
    // The key of an erased entry no longer tells its time.
    return entries.sort((one, other) => one.at - other.at);
  } finally {
    database.close();
  }
}
