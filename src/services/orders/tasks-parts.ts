import type { Clock } from '../../lib/clock.ts';
import type { ModelCatalogue } from '../gateway/model-catalogue.ts';
import type { Budgets } from '../money/budgets.ts';
import type { Ledger } from '../money/ledger.ts';
import type { PriceBook } from '../money/price-book.ts';
import type { Spending } from '../money/spending.ts';
import type { Reports } from '../safety/reports.ts';
import type { Rules } from '../safety/rules.ts';
import type { ServerLogs } from '../safety/server-log.ts';
import type { Partition } from '../tasks/homes.ts';
import type { Kind, WaitLimit } from '../tasks/kind.ts';
import type { KindSpecs, TaskKind } from '../tasks/kind-spec.ts';
import type { Gather } from '../tasks/materials.ts';
import type { Offers } from '../tasks/offers.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskBook, TasksLog } from './book.ts';
import type { Callbacks } from './callbacks.ts';
import type { ModelCircuits } from './circuits.ts';
import type { Discord } from './discord.ts';
import type { FormDrafts } from './form-drafts.ts';
import type { OtherPartitions } from './other-partitions.ts';
import type { Proposals } from './proposals.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import type { Scheduler } from './scheduler.ts';
import type { LiveLimits } from './submission/live-limits.ts';
import type { Slots } from './submission/slots.ts';
import type { TaskStore } from './task-store.ts';
import type { Tracker } from './tracker.ts';

/** What orders are opened with in a bot with one store. */
export interface BotSources {
  specs: KindSpecs;
  kinds: readonly Kind[];
  /** The part of all tasks that is in this store. */
  partition: Partition;
  /** Undefined if this partition has all tasks. */
  others?: OtherPartitions | undefined;
  /** Shared by all partitions of the process; undefined if there is only one. */
  tracker?: Tracker | undefined;
  discord: Discord;
}

/** What tasks need of the rest of the bot. Without a part, nothing is limited, refused, counted or erased there. */
export interface TasksParts extends BotSources {
  book: TaskBook;
  store: TaskStore;
  scheduler: Scheduler;
  gather: Gather;
  offers: Offers;
  /** For the jobs of all partitions of this process. */
  slots: Slots;
  liveLimits: LiveLimits;
  maxWaitMs: Readonly<Record<WaitLimit, number>>;
  clock: Clock;
  log: TasksLog;
  ledger?: Ledger | undefined;
  spending?: Spending | undefined;
  budgets?: Budgets | undefined;
  rules?: Rules | undefined;
  reports?: Reports | undefined;
  serverLogs?: ServerLogs | undefined;
  proposals?: Proposals | undefined;
  drafts?: FormDrafts | undefined;
  pseudonyms?: Pseudonyms | undefined;
  models?: ModelCatalogue | undefined;
  prices?: Pick<PriceBook, 'estimateOf'> | undefined;
  circuits?: ModelCircuits | undefined;
  callbacks?: Callbacks | undefined;
  schedule?: 'learned' | 'spec';
  /** How long an unknown outcome counts if its owner does not decide. Undefined if it counts until the owner does. */
  unconfirmedReleaseMs?: number | undefined;
  random?: () => number;
  /** Returns the member's pseudonym at the gateway. Undefined if members have none. */
  userOf?: ((memberId: string) => Promise<string>) | undefined;
  /** Throws if the store may belong to another bot. */
  assertOwnership(): void;
}

/** The same, for the parts of `Tasks`. */
export interface OrdersParts extends Omit<TasksParts, 'kinds'> {
  kinds: ReadonlyMap<TaskKind, Kind>;
  follow(task: Task): void;
  /** Work that a stop waits for. */
  pendingWork: Set<Promise<unknown>>;
}
