import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Refusal } from '../lib/refusal.ts';
import { Asks } from './asks/asks.ts';
import { AnswerSchemas } from './asks/schema/answer-schemas.ts';
import type { CallbackUrls } from './callbacks/addresses.ts';
import { type CallbackSettings, Callbacks } from './callbacks/callbacks.ts';
import { Fingerprints } from './fingerprints/fingerprints.ts';
import { FormDrafts } from './form-drafts.ts';
import { isModelCode } from './gateway/error-responses.ts';
import type { Gateway } from './gateway/index.ts';
import { hashedName } from './hashed-names.ts';
import { createReachCheck, type RefreshUrls } from './inputs/addresses.ts';
import { createGatherer } from './inputs/inputs.ts';
import { Ledger } from './ledger/ledger.ts';
import { openMedia } from './media/index.ts';
import { MediaProcess } from './media-process/media-process.ts';
import { ModelCatalogue } from './models/catalogue.ts';
import { Experience } from './models/experience.ts';
import type { KindOverrides } from './models/families.ts';
import { findTranscriber } from './models/ids.ts';
import { createModerationService, type ModerationSettings } from './moderation/moderation-service.ts';
import { GatewayPrices } from './prices/gateway-prices.ts';
import { LearnedPrices } from './prices/learned-prices.ts';
import type { OperatorPrices } from './prices/price.ts';
import { PriceBook } from './prices/price-book.ts';
import type { ProcessLimits } from './process-limits.ts';
import { Proposals } from './proposals.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { Reports } from './reports/reports.ts';
import { Rules } from './rules/rules.ts';
import type { RuleSet } from './rules/server-rules.ts';
import { type Removal, ServerLogs } from './server-log/server-log.ts';
import { openAudio } from './sound/audio.ts';
import { Alerts, type BudgetAlert } from './spending/alerts.ts';
import { Budgets, limitsIn, WHOLE_BOT } from './spending/budgets.ts';
import type { LimitStarts } from './spending/limit-starts.ts';
import { EVERY_PERIOD } from './spending/limits.ts';
import { Calendar } from './spending/periods.ts';
import { Spending, type SpendingSettings } from './spending/spending.ts';
import { PAUSE_PARTITION, WholeBot, type WholeBotParts } from './spending/whole-bot.ts';
import type { StoredTasks } from './store/stored-tasks.ts';
import { Talks } from './talks/talks.ts';
import { TaskBook } from './tasks/book.ts';
import { ModelCircuits } from './tasks/circuits.ts';
import { type Partition, partitionOf } from './tasks/homes.ts';
import type { Kind } from './tasks/kind.ts';
import type { KindSpecs, TaskKind } from './tasks/kind-spec.ts';
import { isOwnResult } from './tasks/lists.ts';
import type { MemberFile } from './tasks/materials.ts';
import { Offers } from './tasks/offers.ts';
import type { OtherPartitions } from './tasks/other-partitions.ts';
import { isHeld, type MessagePlace } from './tasks/task.ts';
import { bucketIn } from './tasks/task-id.ts';
import { Tasks } from './tasks/tasks.ts';
import type { TasksParts } from './tasks/tasks-parts.ts';
import type { Tracker } from './tasks/tracker.ts';
import { UsageReader } from './usage/usage-reader.ts';

interface EngineSettings extends Pick<TasksParts, 'maxWaitMs'> {
  gateway: {
    baseUrl: string;
    apiKey: string;
    fields: { user?: string | undefined };
    usageUnit?: 'cents' | undefined;
    pricing: { path?: string | undefined; group?: string | undefined };
  };
  media: { allowPrivate: boolean; memoryBytes: number };
  poll: { schedule: 'learned' | 'spec' };
  prices: OperatorPrices;
  budgets: Omit<SpendingSettings, 'trustedGuildIds'> & { timeZone: string };
  discord: { adminGuildIds: readonly string[] };
  modelKinds: KindOverrides;
  models: Readonly<Partial<Record<'image' | 'video', string>>>;
  rules: RuleSet;
  moderation: ModerationSettings;
  callbacks: CallbackSettings;
  unconfirmedReleaseMs: number | undefined;
}

export interface EngineParts extends Pick<TasksParts, 'removeMessages' | 'notifyErased'> {
  /** Deletes any message of the bot. */
  removeMessage(message: MessagePlace): Promise<Removal>;
  sendBudgetAlert(alert: BudgetAlert): Promise<void>;
  /** Notifies the operator whether the account has credit for this kind. */
  notifyCredit(kind: TaskKind, isAvailable: boolean): void;
  settings: EngineSettings;
  store: StoredTasks;
  /** The part of all tasks that is in this store. */
  partition: Partition;
  /** Undefined if this partition has all tasks. */
  others?: OtherPartitions | undefined;
  /** Shared by all partitions; undefined if there is only one. */
  notes?: WholeBotParts['notes'] | undefined;
  /** The limits of the process, which its partitions share. */
  limits: ProcessLimits;
  /** Shared by all partitions of the process; undefined if there is only one. */
  tracker?: Tracker | undefined;
  gateway: Gateway;
  specs: KindSpecs;
  /** The features' kinds; those of answers and talks are added here. */
  kinds: readonly Kind[];
  /** Origins of members' files that are allowed although they are in a private network. */
  extraOrigins: readonly string[];
  refreshAddresses: RefreshUrls;
  clock: Clock;
  /** For the time limits of downloads. */
  mediaClock: Clock;
  log: Log;
  /** Shared with other bots in this cluster, whose workers receive the callbacks for all of them. */
  callbackUrls?: CallbackUrls | undefined;
  /** Shared with other bots in this process, and closed by its owner. */
  mediaProcess?: MediaProcess | undefined;
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine({
  settings,
  store,
  partition,
  others,
  limits,
  gateway,
  specs,
  kinds,
  extraOrigins,
  clock,
  log,
  ...parts
}: EngineParts) {
  const gatewayOrigin = new URL(settings.gateway.baseUrl).origin;
  const { allowPrivate, memoryBytes } = settings.media;
  // Another process takes real time, even if the bot uses a different clock.
  const { mediaProcess = new MediaProcess({ clock: systemClock, log, memoryBytes }) } = parts;
  const media = openMedia(
    { gatewayOrigin, apiKey: settings.gateway.apiKey, extraOrigins, allowPrivate },
    { log, clock: parts.mediaClock, process: mediaProcess, isStoredResult: (...of) => isOwnResult(store, ...of) },
  );
  const audio = openAudio({ log, process: mediaProcess });
  const canReach = createReachCheck({ gatewayOrigin, extraOrigins, allowPrivate });
  const gather = createGatherer({
    ...{ media, sounds: audio, log, clock },
    canReach,
    upload: async (image) => (await gateway.imgx.upload({ images: [image] }))[0],
  });
  const experience = new Experience(store.experience, log);
  const models = new ModelCatalogue({
    ...{ experience, clock },
    gateway: gateway.models,
    overrides: settings.modelKinds,
  });
  let secret = '';
  let limitStarts: LimitStarts | undefined;
  const hashOf = (name: string): string => hashedName(name, secret);
  const isPausePartition = partition.number === PAUSE_PARTITION;
  const budgets = new Budgets({
    ...{ store: store.budgets, hashOf },
    isPausedElsewhere: () => !isPausePartition && wholeBot?.isPaused === true,
  });
  // Another service takes real time too.
  const moderationService = createModerationService(settings.moderation, { log, clock: systemClock });
  const rules = new Rules({ store: store.rules, operatorRules: settings.rules, moderationService });
  const reports = new Reports({ store: store.reports, hashOf, clock });
  const serverLogs = new ServerLogs({
    ...{ store: store.serverLogs, rules, clock },
    removeMessage: parts.removeMessage,
    async isUndecided({ heldTaskId, reportId }) {
      if (reportId !== undefined) return reports.isUndecided(reportId);
      const task = heldTaskId === undefined ? undefined : await book.get(heldTaskId);
      return task !== undefined && isHeld(task);
    },
  });
  const { timeZone, ...budgetLimits } = settings.budgets;
  const spending = new Spending({
    ...{ budgets, hashOf, clock },
    settings: { ...budgetLimits, trustedGuildIds: settings.discord.adminGuildIds },
    settingsSince: (holder) => limitStarts?.[holder].at ?? 0,
    calendar: new Calendar(timeZone),
    waitingCount: () => tasks.orders.line.size,
    wholeBot: () => wholeBot,
  });
  const wholeBot = parts.notes
    ? new WholeBot({
        ...{ notes: parts.notes, partition: partition.number, clock, log },
        used: () => spending.totalUsage,
        isPausedHere: () => (isPausePartition ? budgets.get(WHOLE_BOT).isPaused : undefined),
      })
    : undefined;
  const ledger = new Ledger({ entries: store.entries, others, spending, clock, log });
  budgets.beforeChange((_, budget) => ledger.countFor(limitsIn(budget)));
  const alerts = new Alerts({ spending, budgets, log, send: parts.sendBudgetAlert });
  spending.onUse((guildId, exceeded) => alerts.check(guildId, exceeded));
  const offers = new Offers(clock);
  const book = new TaskBook({
    clock,
    ...{ store, log },
    findElsewhere: others && (async (id) => (await others.find(partitionOf(bucketIn(id), partition.count)))?.get(id)),
  });
  const fingerprints = new Fingerprints(book, store.fingerprints);
  // A thread takes real time too.
  const schemas = new AnswerSchemas(gather, settings.maxWaitMs.text, systemClock);
  const { path: pricingPath, group } = settings.gateway.pricing;
  const gatewayPrices = new GatewayPrices({
    fetch: pricingPath === undefined ? undefined : (signal) => gateway.prices.get(pricingPath, { signal }),
    ...{ group, clock, log },
  });
  const learnedPrices = new LearnedPrices({ store: store.costs, clock, log });
  const kindsByName = new Map(kinds.map((kind) => [kind.name, kind]));
  const prices = new PriceBook({
    ...{ operator: settings.prices, readAt: clock.now(), gateway: gatewayPrices, learned: learnedPrices, specs },
    listNameOf: ({ kind, request }) => kindsByName.get(kind)?.priceName?.(request),
  });
  const pseudonyms = new Pseudonyms(
    store.pseudonyms,
    others && {
      find: async (memberId) => {
        const names = await Promise.all((await others.all()).map((rows) => rows.pseudonyms.get(memberId)));
        return names.find((name) => name !== undefined);
      },
      isErasing: (memberId) => tasks.erasure.isUnderWayAnywhere(memberId),
    },
  );
  const hasUserField = settings.gateway.fields.user !== undefined;
  const userOf = hasUserField ? (memberId: string) => pseudonyms.getOrCreate(memberId) : undefined;
  const proposals = new Proposals({
    ...{ budgets, clock, partition },
    store: store.proposals,
    removeMessage: parts.removeMessage,
    prices,
  });
  const drafts = new FormDrafts(store.drafts, clock, partition);
  const asks = new Asks({
    ...{ book, ledger, models, gather, schemas, clock, log },
    responses: gateway.responses,
    transcriptions: gateway.transcriptions,
    refresh: parts.refreshAddresses,
    ...(userOf && { userOf }),
    prices,
    priceOf: (kind, { prompt, model = settings.models[kind] ?? '' }) =>
      prices.estimateOf({ kind, request: { prompt, model } }),
    answers: { get: (id) => book.get(id), page: (query) => store.page(query) },
    timeLimitMs: settings.maxWaitMs.text,
  });
  const talks = new Talks({
    ...{ book, sounds: audio, clock, log },
    realtime: gateway.realtime,
    prices,
    transcriber: async () => findTranscriber(await models.listQuickly()),
  });
  const circuits = new ModelCircuits({ book, clock });
  const { scheduler } = limits;
  const callbacks = new Callbacks({ book, kinds, scheduler, clock, log });
  const tasks = new Tasks({
    book,
    circuits,
    partition,
    others,
    store,
    ledger,
    offers,
    models,
    specs,
    gather,
    scheduler,
    clock,
    log,
    callbacks,
    kinds: [...kinds, asks.kind, ...talks.kinds],
    prices,
    spending,
    budgets,
    rules,
    reports,
    serverLogs,
    proposals,
    drafts,
    pseudonyms,
    liveLimits: limits.live,
    slots: limits.slots,
    tracker: parts.tracker,
    notifyCredit: parts.notifyCredit,
    ...(userOf && { userOf }),
    unconfirmedReleaseMs: settings.unconfirmedReleaseMs,
    schedule: settings.poll.schedule,
    maxWaitMs: settings.maxWaitMs,
    assertOwnership: store.ownership.assertOwned,
    removeMessages: parts.removeMessages,
    notifyErased: parts.notifyErased,
  });
  book.onChange(({ state, traits: { modelKind, isTalk }, request: { model }, failure }) => {
    if (modelKind === undefined || model === undefined) return;
    if (state === 'ready' && !isTalk) void experience.markDelivered(model, modelKind);
    else if (state === 'failed' && isModelCode(failure?.code)) void models.markUnfit(model, modelKind);
  });
  book.onChange((task) => void prices.learn(task));
  // A result will follow soon, so the process that decodes it is started now.
  book.onChange(({ state, traits }) => {
    if (state === 'accepted' && !traits.isText) mediaProcess.start();
  });
  const usage = new UsageReader({
    reports: gateway.usage,
    ledger,
    unit: settings.gateway.usageUnit,
    process: mediaProcess,
    log,
  });
  return {
    ...{
      tasks,
      ledger,
      circuits,
      asks,
      schemas,
      talks,
      models,
      offers,
      media,
      mediaProcess,
      usage,
      spending,
      budgets,
      rules,
    },
    reports,
    serverLogs,
    proposals,
    drafts,
    fingerprints,
    callbacks,

    /** Reads the text of a member's file. */
    async readText(file: MemberFile, memberId: string): Promise<string> {
      const context = { memberId, timeLimitMs: settings.maxWaitMs.text };
      const { documents: [document] = [] } = await gather({ documents: [file] }, context);
      if (document?.text === undefined) throw new Refusal('refusals.notText');
      return document.text;
    },

    countEverything: (): Promise<void> => ledger.countFor(EVERY_PERIOD),

    /** Reads the store, but does not act on its content yet. */
    async open(): Promise<void> {
      secret = await store.hashSecret();
      limitStarts = await store.limitStarts(budgetLimits);
      await Promise.all([budgets.open(), rules.open(), reports.open()]);
      await Promise.all([tasks.open(), experience.open(), learnedPrices.open()]);
      await wholeBot?.open();
      wholeBot?.start();
      gatewayPrices.start();
      if (parts.callbackUrls) callbacks.open(parts.callbackUrls);
      else await callbacks.listen(settings.callbacks, secret);
    },

    /** Stops polling, and waits for answers that are being streamed. */
    async pause(): Promise<void> {
      await Promise.all([
        tasks.pause(),
        asks.finish(),
        talks.finish(),
        gatewayPrices.stop(),
        alerts.finish(),
        wholeBot?.stop(),
      ]);
    },

    /** Everything that is still waiting for the gateway or a file fails now. */
    async close(): Promise<void> {
      const ownsMediaProcess = mediaProcess !== parts.mediaProcess;
      audio.close();
      const ownResources = [gateway.close(), media.close(), schemas.close(), callbacks.close()];
      await Promise.all([...ownResources, ownsMediaProcess && mediaProcess.close()]);
    },

    /** Stores the outcome of everything that has failed by then. */
    async stop(): Promise<void> {
      await Promise.all([asks.finish(), talks.finish()]);
      await tasks.stop();
    },
  };
}
