import type { AppContext } from '../../lib/app-context.ts';
import type { ModelCatalogue } from '../gateway/model-catalogue.ts';
import type { Money } from '../money/open-money.ts';
import type { Safety } from '../safety/open-safety.ts';
import type { Partition } from '../tasks/homes.ts';
import type { Kind, WaitLimit } from '../tasks/kind.ts';
import type { KindSpecs, TaskKind } from '../tasks/kind-spec.ts';
import type { Gather } from '../tasks/materials.ts';
import { Offers } from '../tasks/offers.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskBook } from './book.ts';
import { type CallbackSettings, Callbacks } from './callbacks.ts';
import { ModelCircuits } from './circuits.ts';
import type { Discord } from './discord.ts';
import type { FingerprintStore } from './fingerprints.ts';
import { FormDrafts } from './form-drafts.ts';
import type { OtherPartitions, PartitionRows } from './other-partitions.ts';
import { Preferences } from './preferences.ts';
import type { PresetContent } from './preset.ts';
import { Presets } from './presets.ts';
import { Proposals } from './proposals.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import type { Scheduler } from './scheduler.ts';
import type { LiveLimits } from './submission/live-limits.ts';
import type { Slots } from './submission/slots.ts';
import type { TaskStore } from './task-store.ts';
import type { Tracker } from './tracker.ts';

/** What orders are opened with in a bot with one store. */
export interface BotSources {
  settings: {
    maxWaitMs: Readonly<Record<WaitLimit, number>>;
    /** How long an unknown outcome counts if its owner does not decide. Undefined if it counts until the owner does. */
    unconfirmedReleaseMs?: number | undefined;
    poll: { schedule: 'learned' | 'spec' };
    callbacks: CallbackSettings;
    presets: readonly PresetContent[];
  };
  store: TaskStore &
    PartitionRows & {
      fingerprints: FingerprintStore;
      ownership: { assertOwned(): void };
    };
  specs: KindSpecs;
  kinds: readonly Kind[];
  partition: Partition;
  /** Undefined if this partition has all tasks. */
  others?: OtherPartitions | undefined;
  /** Shared by all partitions of the process; undefined if there is only one. */
  tracker?: Tracker | undefined;
  discord: Discord;
  /** For the jobs of all partitions of this process. */
  limits: { scheduler: Scheduler; slots: Slots; live: LiveLimits };
}

/** The same, with what orders use of the other domains. */
export interface OrdersSources extends BotSources {
  book: TaskBook;
  gather: Gather;
  money: Money;
  safety: Safety;
  models: ModelCatalogue;
  pseudonyms: Pseudonyms;
  /** Returns the member's pseudonym at the gateway. Undefined if members have none. */
  userOf: ((memberId: string) => Promise<string>) | undefined;
}

/** The same, for the parts of `Tasks`. */
export type OrdersContext = ReturnType<typeof createOrdersContext>;

export function createOrdersContext(context: AppContext, sources: OrdersSources, follow: (task: Task) => void) {
  const given = { ...context, ...sources };
  const { book, store, money, discord, partition, limits, kinds, clock, log } = given;
  return {
    ...given,
    kinds: new Map<TaskKind, Kind>(kinds.map((kind) => [kind.name, kind])),
    callbacks: new Callbacks(book, kinds, limits.scheduler, clock, log),
    circuits: new ModelCircuits(given),
    drafts: new FormDrafts(store.drafts, clock, partition),
    offers: new Offers(clock),
    preferences: new Preferences(given),
    presets: new Presets(given),
    proposals: new Proposals(store.proposals, money, discord, partition, clock),
    follow,
    pendingWork: new Set<Promise<unknown>>(),
  };
}
