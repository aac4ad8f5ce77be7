import type { Task } from '../tasks/task.ts';
import type { Entry } from './entry.ts';

/** Where entries are kept, and the tasks they are made from. Every method throws where the store cannot do it. */
export interface Entries {
  find(key: string): Promise<Entry | undefined>;
  /** One at a time for each key; what stays the same is not written. */
  change(key: string, transition: (known: Entry | undefined) => Entry): Promise<void>;
  /** The same entry under another id; done twice it is as if it had been done once. */
  rename(entry: Entry, to: Entry): Promise<void>;
  /** Of the days from the first to the last, both included, oldest day first. */
  between(first: string, last: string): AsyncGenerator<Entry>;
  task(id: string): Promise<Task | undefined>;
  /** All that are still kept, live and finished. */
  tasks(): AsyncGenerator<Task>;
  /** The day of the oldest entry that may not have come to its end; undefined where no ledger was ever kept. */
  openSince(): Promise<string | undefined>;
  setOpenSince(day: string): Promise<void>;
}
