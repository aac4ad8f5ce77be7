import type { Clock } from '../../../lib/clock.ts';
import { type Entry, keyOfTask } from '../../ledger/entry.ts';
import type { Prices } from '../../ledger/prices.ts';
import { agreeing, withoutTask } from '../../ledger/reconcile.ts';
import { isOrdered, type Task } from '../../tasks/task.ts';
import { readEntry } from '../entry-rows.ts';
import { LedgerMark } from '../ledger-mark.ts';
import type { Quarantine } from '../quarantine.ts';
import type { Shelves } from '../shelves.ts';
import { counted, type Look } from './finding.ts';
import { sorted } from './rows.ts';

interface Against {
  tasks: ReadonlyMap<string, Task>;
  clock: Clock;
  prices: Prices;
}

/** Holds the ledger against the tasks. Entries of tasks that are gone stay as they are: nothing is left to make them from. */
export async function lookAtLedger(
  { ledger, meta }: Shelves,
  quarantine: Quarantine,
  { tasks, clock, prices }: Against,
): Promise<Look> {
  const { good, bad, setAside } = await sorted<Entry>(ledger, quarantine, (key, value) => {
    return readEntry(key, value) ?? 'cannot be read';
  });
  const right = new Map<string, Entry>();
  const isKept = (await new LedgerMark(meta).read()) !== undefined;
  // A store in which no ledger was ever kept is given one by the next start.
  for (const task of isKept ? [...tasks.values()].filter(isOrdered) : []) {
    const key = keyOfTask(task);
    right.set(key, agreeing(good.get(key), task, prices));
  }
  for (const [key, entry] of good) if (!right.has(key)) right.set(key, withoutTask(entry, clock.now()));
  const wrong = [...right].filter(([key, entry]) => good.get(key) !== entry);
  const missing = wrong.filter(([key]) => !good.has(key)).length;
  return {
    findings: counted({ unreadable: bad, 'entry-missing': missing, 'entry-different': wrong.length - missing }),
    repair: async () => {
      await setAside();
      await ledger.putMany(wrong.map(([key, value]) => ({ key, value })));
    },
  };
}
