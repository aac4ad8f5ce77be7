import type { AppContext } from '../../lib/app-context.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { MediaProcess } from '../media/media-process.ts';
import type { Partition } from '../tasks/homes.ts';
import type { Kind } from '../tasks/kind.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import { type BudgetAlert, createAlerts } from './alerts.ts';
import { type BudgetStore, Budgets, type HashOf, limitsIn, WHOLE_BOT } from './budgets.ts';
import type { EntryStore } from './entry.ts';
import { createGatewayPrices } from './gateway-prices.ts';
import { createLearnedPrices, type LearnedStore } from './learned-prices.ts';
import { Ledger, type OtherEntries } from './ledger.ts';
import type { LimitStarts } from './limits-text.ts';
import type { OperatorPrices } from './price.ts';
import { PriceBook } from './price-book.ts';
import type { SpendingSettings } from './spending/limits-in-force.ts';
import { Spending } from './spending.ts';
import { createUsageReader } from './usage-reader.ts';
import { PAUSE_PARTITION, type SharedNotes, WholeBot } from './whole-bot.ts';

interface MoneySettings {
  prices: OperatorPrices;
  budgets: Omit<SpendingSettings, 'trustedGuildIds'>;
  discord: { adminGuildIds: readonly string[] };
  gateway: {
    usageUnit?: 'cents' | undefined;
    pricing: { path?: string | undefined; group?: string | undefined };
  };
}

export interface MoneySources {
  settings: MoneySettings;
  store: {
    budgets: BudgetStore;
    entries: EntryStore;
    costs: LearnedStore;
    limitStarts(limits: MoneySettings['budgets']): Promise<LimitStarts>;
  };
  partition: Partition;
  others?: OtherEntries | undefined;
  /** Shared by all partitions; undefined if there is only one. */
  notes?: SharedNotes | undefined;
  gateway: Gateway;
  specs: KindSpecs;
  kinds: readonly Kind[];
}

export type Money = ReturnType<typeof openMoney>;

export function openMoney(
  context: AppContext,
  { settings, store, partition, others, notes, gateway, specs, kinds }: MoneySources,
  hashOf: HashOf,
  mediaProcess: MediaProcess,
  sendAlert: (alert: BudgetAlert) => Promise<void>,
) {
  const { clock, log } = context;
  const wholeBot = notes && new WholeBot(context, notes, partition.number);
  /** Only one partition has a row for it. */
  const readWholeBot = async () => {
    const rows = await Promise.all(((await others?.all()) ?? []).map((one) => one.budgets.get({ guildId: WHOLE_BOT })));
    return rows.find((row) => row !== undefined);
  };
  const hasWholeBot = partition.number === PAUSE_PARTITION;
  const budgets = new Budgets(store.budgets, hashOf, wholeBot, hasWholeBot ? undefined : readWholeBot);
  const limits = { ...settings.budgets, trustedGuildIds: settings.discord.adminGuildIds };
  const spending = new Spending(limits, budgets, clock, wholeBot);
  const ledger = new Ledger(context, store.entries, spending, others);
  budgets.beforeChange((_, budget) => ledger.countFor(limitsIn(budget)));
  const alerts = createAlerts(spending, budgets, sendAlert, log);
  spending.onUse((guildId, exceeded) => alerts.check(guildId, exceeded));
  const { path, group } = settings.gateway.pricing;
  const fetch = path === undefined ? undefined : (signal: AbortSignal) => gateway.prices.get(path, { signal });
  const gatewayPrices = createGatewayPrices(fetch, group, clock, log);
  const learnedPrices = createLearnedPrices(store.costs, clock, log);
  const prices = new PriceBook({
    operator: settings.prices,
    readAt: clock.now(),
    gateway: gatewayPrices,
    learned: learnedPrices,
    specs,
    listNameOf: ({ kind, request }) => kinds.find(({ name }) => name === kind)?.priceName?.(request),
  });
  const usage = createUsageReader(gateway.usage, ledger, settings.gateway.usageUnit, mediaProcess, log);
  return {
    budgets,
    spending,
    ledger,
    prices,
    usage,

    ...reloadOf({ settings, store, clock }, { prices, ledger, spending, limits }),

    async load(): Promise<void> {
      spending.limits.setStarts(await store.limitStarts(settings.budgets));
      await Promise.all([budgets.open(), learnedPrices.open()]);
    },

    /** To be called once the ledger is open. `waitingCount`: the number of tasks that wait for their turns. */
    async start(waitingCount: () => number): Promise<void> {
      await wholeBot?.open({
        used: () => spending.totalUsage(waitingCount()),
        isPausedHere: () => (partition.number === PAUSE_PARTITION ? budgets.get(WHOLE_BOT).isPaused : undefined),
      });
      wholeBot?.start();
      gatewayPrices.start();
    },

    stop: () => Promise.all([gatewayPrices.stop(), alerts.finish(), wholeBot?.stop()]),
  };
}

function reloadOf(
  { settings, store, clock }: { settings: MoneySettings; store: MoneySources['store']; clock: AppContext['clock'] },
  parts: { prices: PriceBook; ledger: Ledger; spending: Spending; limits: SpendingSettings },
) {
  const { prices, ledger, spending, limits } = parts;
  /** Counts what other limits need. Changes nothing. */
  const prepare = ({ total, server, member, direct }: MoneySettings['budgets']): Promise<void> =>
    ledger.countFor([total, server, member, direct]);
  return {
    prepare,

    /** Applies the settings in force. */
    async takeOver(): Promise<void> {
      const { budgets } = settings;
      prices.setOperatorPrices(settings.prices, clock.now());
      await prepare(budgets);
      const starts = await store.limitStarts(budgets);
      Object.assign(limits, budgets);
      spending.limits.setStarts(starts);
    },
  };
}
