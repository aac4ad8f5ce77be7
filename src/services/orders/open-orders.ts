import type { AppContext } from '../../lib/app-context.ts';
import type { ModelCatalogue } from '../gateway/model-catalogue.ts';
import type { Money } from '../money/open-money.ts';
import type { Safety } from '../safety/open-safety.ts';
import type { Partition } from '../tasks/homes.ts';
import type { Kind } from '../tasks/kind.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import type { Gather } from '../tasks/materials.ts';
import { Offers } from '../tasks/offers.ts';
import type { TaskBook } from './book.ts';
import { type CallbackSettings, Callbacks } from './callbacks.ts';
import { ModelCircuits } from './circuits.ts';
import type { Discord } from './discord.ts';
import { type FingerprintStore, Fingerprints } from './fingerprints.ts';
import { type DraftStore, FormDrafts } from './form-drafts.ts';
import type { OtherPartitions } from './other-partitions.ts';
import type { ProcessLimits } from './process-limits.ts';
import { type ProposalStore, Proposals } from './proposals.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import type { TaskStore } from './task-store.ts';
import { Tasks } from './tasks.ts';
import type { TasksParts } from './tasks-parts.ts';
import type { Tracker } from './tracker.ts';

export interface OrdersSettings extends Pick<TasksParts, 'maxWaitMs' | 'unconfirmedReleaseMs'> {
  poll: { schedule: 'learned' | 'spec' };
  callbacks: CallbackSettings;
}

interface OrdersSources {
  settings: OrdersSettings;
  store: TaskStore & {
    fingerprints: FingerprintStore;
    proposals: ProposalStore;
    drafts: DraftStore;
    ownership: { assertOwned(): void };
  };
  partition: Partition;
  others: OtherPartitions | undefined;
  limits: ProcessLimits;
  tracker: Tracker | undefined;
  specs: KindSpecs;
  /** The kinds whose tasks callbacks may be about. */
  kinds: readonly Kind[];
  /** The kinds of answers and talks. */
  conversationKinds: readonly Kind[];
  book: TaskBook;
  gather: Gather;
  money: Money;
  safety: Safety;
  models: ModelCatalogue;
  pseudonyms: Pseudonyms;
  userOf: TasksParts['userOf'];
  discord: Discord;
}

/** Opens what brings an order to its result. */
export function openOrders({ clock, log }: AppContext, sources: OrdersSources) {
  const { settings, store, partition, limits, kinds, book, money, safety, discord } = sources;
  const { scheduler } = limits;
  const fingerprints = new Fingerprints(book, store.fingerprints);
  const proposals = new Proposals({
    store: store.proposals,
    budgets: money.budgets,
    prices: money.prices,
    removeMessage: (message) => discord.removeMessage(message),
    partition,
    clock,
  });
  const drafts = new FormDrafts(store.drafts, clock, partition);
  const offers = new Offers(clock);
  const circuits = new ModelCircuits({ book, clock });
  const callbacks = new Callbacks({ book, kinds, scheduler, clock, log });
  const tasks = new Tasks({
    ...sources,
    ...money,
    ...safety,
    kinds: [...kinds, ...sources.conversationKinds],
    scheduler,
    slots: limits.slots,
    liveLimits: limits.live,
    proposals,
    drafts,
    offers,
    circuits,
    callbacks,
    clock,
    log,
    schedule: settings.poll.schedule,
    maxWaitMs: settings.maxWaitMs,
    unconfirmedReleaseMs: settings.unconfirmedReleaseMs,
    assertOwnership: store.ownership.assertOwned,
  });
  book.onChange((task) => void money.prices.learn(task));
  return { tasks, fingerprints, proposals, drafts, offers, circuits, callbacks };
}
