import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import { AnswerSchemas } from '../conversations/answer-schemas.ts';
import { Asks } from '../conversations/asks.ts';
import { Talks } from '../conversations/talks.ts';
import { isModelCode } from '../gateway/error-responses.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { ModelCatalogue } from '../gateway/model-catalogue.ts';
import { Experience } from '../gateway/model-experience.ts';
import type { KindOverrides } from '../gateway/model-families.ts';
import { findTranscriber } from '../gateway/model-ids.ts';
import { openAudio } from '../media/audio.ts';
import { openMedia } from '../media/index.ts';
import { MediaProcess } from '../media/media-process.ts';
import { Alerts, type BudgetAlert } from '../money/alerts.ts';
import { Budgets, limitsIn, WHOLE_BOT } from '../money/budgets.ts';
import { GatewayPrices } from '../money/gateway-prices.ts';
import { hashedName } from '../money/hashed-names.ts';
import { LearnedPrices } from '../money/learned-prices.ts';
import { Ledger } from '../money/ledger.ts';
import { EVERY_PERIOD } from '../money/limits.ts';
import { Calendar } from '../money/periods.ts';
import type { OperatorPrices } from '../money/price.ts';
import { PriceBook } from '../money/price-book.ts';
import { Spending, type SpendingSettings } from '../money/spending.ts';
import { UsageReader } from '../money/usage-reader.ts';
import { PAUSE_PARTITION, type SharedNotes, WholeBot } from '../money/whole-bot.ts';
import { TaskBook } from '../orders/book.ts';
import type { CallbackUrls } from '../orders/callback-addresses.ts';
import { type CallbackSettings, Callbacks } from '../orders/callbacks.ts';
import { ModelCircuits } from '../orders/circuits.ts';
import { Fingerprints } from '../orders/fingerprints.ts';
import { FormDrafts } from '../orders/form-drafts.ts';
import { createReachCheck, type RefreshUrls } from '../orders/input-addresses.ts';
import { createGatherer } from '../orders/inputs.ts';
import { isOwnResult } from '../orders/lists.ts';
import type { OtherPartitions } from '../orders/other-partitions.ts';
import type { ProcessLimits } from '../orders/process-limits.ts';
import { Proposals } from '../orders/proposals.ts';
import { Pseudonyms } from '../orders/pseudonyms.ts';
import { Tasks } from '../orders/tasks.ts';
import type { TasksParts } from '../orders/tasks-parts.ts';
import type { Tracker } from '../orders/tracker.ts';
import { createModerationService, type ModerationSettings } from '../safety/moderation-service.ts';
import { Reports } from '../safety/reports.ts';
import { Rules } from '../safety/rules.ts';
import { type Removal, ServerLogs } from '../safety/server-log.ts';
import type { RuleSet } from '../safety/server-rules.ts';
import type { StoredTasks } from '../store/stored-tasks.ts';
import { type Partition, partitionOf } from '../tasks/homes.ts';
import type { Kind } from '../tasks/kind.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import type { MemberFile } from '../tasks/materials.ts';
import { Offers } from '../tasks/offers.ts';
import { isHeld, type MessagePlace } from '../tasks/task.ts';
import { bucketIn } from '../tasks/task-id.ts';

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
  settings: EngineSettings;
  store: StoredTasks;
  /** The part of all tasks that is in this store. */
  partition: Partition;
  /** Undefined if this partition has all tasks. */
  others?: OtherPartitions | undefined;
  /** Shared by all partitions; undefined if there is only one. */
  notes?: SharedNotes | undefined;
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
  const hashOf = (name: string): string => hashedName(name, secret);
  const wholeBot = parts.notes && new WholeBot({ notes: parts.notes, partition: partition.number, clock, log });
  const budgets = new Budgets({ store: store.budgets, hashOf, wholeBot });
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
    budgets,
    hashOf,
    clock,
    settings: { ...budgetLimits, trustedGuildIds: settings.discord.adminGuildIds },
    calendar: new Calendar(timeZone),
    wholeBot,
  });
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
      isErasing: async (memberId) =>
        (await Promise.all([store, ...(await others.all())].map((rows) => rows.isErasing(memberId)))).includes(true),
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
      spending.setLimitStarts(await store.limitStarts(budgetLimits));
      await Promise.all([budgets.open(), rules.open(), reports.open()]);
      await Promise.all([tasks.open(), experience.open(), learnedPrices.open()]);
      await wholeBot?.open({
        used: () => spending.totalUsage(tasks.orders.line.size),
        isPausedHere: () => (partition.number === PAUSE_PARTITION ? budgets.get(WHOLE_BOT).isPaused : undefined),
      });
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
