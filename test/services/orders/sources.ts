import { kindSpecs, ruleTargets } from '../../../src/commands/index.ts';
import { readConfig } from '../../../src/config.ts';
import type { AppContext } from '../../../src/lib/app-context.ts';
import { createGateway } from '../../../src/services/gateway/gateway.ts';
import { ModelCatalogue } from '../../../src/services/gateway/model-catalogue.ts';
import { Experience } from '../../../src/services/gateway/model-experience.ts';
import { hashedName } from '../../../src/services/money/hashed-names.ts';
import type { Limits } from '../../../src/services/money/limits.ts';
import { openMoney } from '../../../src/services/money/open-money.ts';
import type { OperatorPrices } from '../../../src/services/money/price.ts';
import type { PriceBook } from '../../../src/services/money/price-book.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import type { OrdersSources } from '../../../src/services/orders/orders-context.ts';
import { createPseudonyms } from '../../../src/services/orders/pseudonyms.ts';
import { Scheduler } from '../../../src/services/orders/scheduler.ts';
import { Slots } from '../../../src/services/orders/submission/slots.ts';
import { openSafety } from '../../../src/services/safety/open-safety.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { WHOLE_STORE } from '../../../src/services/tasks/homes.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { noLimits } from '../../support/no-limits.ts';
import { silentDiscord } from '../../support/silent-discord.ts';

interface Changes extends Partial<OrdersSources> {
  prices?: OperatorPrices;
  /** Replaces the price book's estimates. */
  estimateOf?: PriceBook['estimateOf'] | undefined;
  /** The limits of each member on a server; by default none. */
  memberLimits?: Limits | undefined;
  random?: () => number;
  perSecond?: number;
  jobsAtOnce?: number | undefined;
}

const config = readConfig(
  {
    DISCORD_TOKEN: 'MTIzNDU2Nzg5.Gh-7aB.z_9-secret-of-the-bot',
    GATEWAY_BASE_URL: 'http://127.0.0.1:9',
    GATEWAY_API_KEY: 'sk-sandbox',
    ...noLimits,
  },
  ruleTargets,
);

/** What orders are opened with, where nothing is limited or moderated, no kind exists, and there is no Discord. */
export function ordersSources(
  context: AppContext,
  store: StoredTasks,
  {
    prices = {},
    estimateOf,
    memberLimits = {},
    random = () => 0.5,
    perSecond = 50,
    jobsAtOnce,
    ...changes
  }: Changes = {},
): OrdersSources {
  const { clock, log } = context;
  const gateway = createGateway(config.gateway, context);
  const settings = { ...config, prices, budgets: { ...config.budgets, member: memberLimits } };
  const bot = { settings, store, partition: WHOLE_STORE, specs: kindSpecs, kinds: [], discord: silentDiscord };
  const hashOf = (name: string): string => hashedName(name, 'a secret of the store');
  const money = openMoney(context, { ...bot, gateway }, hashOf, mediaProcess, async () => undefined);
  if (estimateOf) Object.assign(money.prices, { estimateOf });
  const experience = new Experience(store.experience, log);
  return {
    ...bot,
    book: new TaskBook(store, log),
    gather: async () => ({}),
    money,
    safety: openSafety(context, { ...bot, ruleTargets }, hashOf, async () => false),
    models: new ModelCatalogue({ gateway: gateway.models, experience, overrides: {}, clock }),
    pseudonyms: createPseudonyms(store),
    userOf: undefined,
    limits: {
      scheduler: new Scheduler(clock, random, log, { perSecond, inFlight: 24 }),
      slots: new Slots(jobsAtOnce),
      live: {},
    },
    ...changes,
  };
}
