import type { AppContext } from '../../lib/app-context.ts';
import type { ModelCatalogue } from '../gateway/model-catalogue.ts';
import type { Money } from '../money/open-money.ts';
import type { Safety } from '../safety/open-safety.ts';
import type { Kind } from '../tasks/kind.ts';
import type { Gather } from '../tasks/materials.ts';
import { Offers } from '../tasks/offers.ts';
import type { TaskBook } from './book.ts';
import { type CallbackSettings, Callbacks } from './callbacks.ts';
import { ModelCircuits } from './circuits.ts';
import { type FingerprintStore, Fingerprints } from './fingerprints.ts';
import { type DraftStore, FormDrafts } from './form-drafts.ts';
import type { ProcessLimits } from './process-limits.ts';
import { type ProposalStore, Proposals } from './proposals.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import type { TaskStore } from './task-store.ts';
import { Tasks } from './tasks.ts';
import type { BotSources, TasksParts } from './tasks-parts.ts';

interface OrdersSettings extends Pick<TasksParts, 'maxWaitMs' | 'unconfirmedReleaseMs'> {
  poll: { schedule: 'learned' | 'spec' };
  callbacks: CallbackSettings;
}

export interface OrdersSources extends BotSources {
  settings: OrdersSettings;
  store: TaskStore & {
    fingerprints: FingerprintStore;
    proposals: ProposalStore;
    drafts: DraftStore;
    ownership: { assertOwned(): void };
  };
  /** The limits of the process, which its partitions share. */
  limits: ProcessLimits;
}

interface OpenedDomains {
  book: TaskBook;
  gather: Gather;
  money: Money;
  safety: Safety;
  models: ModelCatalogue;
  conversations: { kinds: readonly Kind[] };
  pseudonyms: Pseudonyms;
  userOf: TasksParts['userOf'];
}

/** Opens what brings an order to its result. */
export function openOrders(context: AppContext, sources: OrdersSources, domains: OpenedDomains) {
  const { settings, store, partition, limits, kinds, discord } = sources;
  const { book, money } = domains;
  const { clock } = context;
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
  const callbacks = new Callbacks(book, kinds, scheduler, clock, context.log);
  const tasks = new Tasks({
    ...context,
    ...sources,
    ...domains,
    ...money,
    ...domains.safety,
    kinds: [...kinds, ...domains.conversations.kinds],
    scheduler,
    slots: limits.slots,
    liveLimits: limits.live,
    proposals,
    drafts,
    offers,
    circuits,
    callbacks,
    schedule: settings.poll.schedule,
    maxWaitMs: settings.maxWaitMs,
    unconfirmedReleaseMs: settings.unconfirmedReleaseMs,
    assertOwnership: store.ownership.assertOwned,
  });
  book.onChange((task) => void money.prices.learn(task));
  return { tasks, fingerprints, proposals, drafts, offers, circuits, callbacks };
}
