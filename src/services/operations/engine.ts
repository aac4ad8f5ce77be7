import type { AppContext } from '../../lib/app-context.ts';
import type { ConversationContext } from '../conversations/conversation-context.ts';
import { openConversations } from '../conversations/open-conversations.ts';
import { isModelCode } from '../gateway/error-responses.ts';
import { ModelCatalogue } from '../gateway/model-catalogue.ts';
import { Experience } from '../gateway/model-experience.ts';
import type { KindOverrides } from '../gateway/model-families.ts';
import { type MediaSources, openFiles } from '../media/open-files.ts';
import { StoreSecret } from '../money/hashed-names.ts';
import { type MoneySources, openMoney } from '../money/open-money.ts';
import { TaskBook } from '../orders/book.ts';
import type { CallbackUrls } from '../orders/callback-urls.ts';
import { createGatherer } from '../orders/gatherer.ts';
import { isOwnResult } from '../orders/lists.ts';
import type { BotSources } from '../orders/orders-context.ts';
import { createPseudonyms } from '../orders/pseudonyms.ts';
import { createReachCheck } from '../orders/reach-check.ts';
import { Tasks } from '../orders/tasks.ts';
import { openSafety, type SafetySources } from '../safety/open-safety.ts';
import type { StoredTasks } from '../store/stored-tasks.ts';
import { partitionOf } from '../tasks/homes.ts';
import { isHeld } from '../tasks/task.ts';
import { bucketIn } from '../tasks/task-id.ts';

type DomainSources = MoneySources & SafetySources & BotSources & MediaSources;

interface EngineSources extends DomainSources {
  settings: DomainSources['settings'] & {
    models: ConversationContext['settings']['models'];
    gateway: { fields: { user?: string | undefined } };
    modelKinds: KindOverrides;
  };
  store: StoredTasks;
  /** Shared with other bots in this cluster, whose workers receive the callbacks for all of them. */
  callbackUrls?: CallbackUrls | undefined;
}

/** What the bot offers, by domain. */
export type Domains = ReturnType<typeof createEngine>['domains'];

/** Everything except Discord, for one store. Each part uses only those that are opened above it. */
export function createEngine(context: AppContext, sources: EngineSources) {
  const { clock, log } = context;
  const { settings, store, partition, others, gateway } = sources;
  const secret = new StoreSecret();
  const book = new TaskBook(
    store,
    log,
    clock,
    others && (async (id) => (await others.find(partitionOf(bucketIn(id), partition.count)))?.get(id)),
  );
  const files = openFiles(sources, (...of) => isOwnResult(store, ...of), log);
  const { hosts, media, audio, mediaProcess } = files;
  const gather = createGatherer({
    media,
    sounds: audio,
    canReach: createReachCheck(hosts),
    upload: async (image) => (await gateway.imgx.upload({ images: [image] }))[0],
    clock,
    log,
  });
  const experience = new Experience(store.experience, log);
  const models = new ModelCatalogue({ gateway: gateway.models, experience, overrides: settings.modelKinds, clock });
  const safety = openSafety(context, sources, secret.hashOf, async (taskId) => {
    const task = await book.get(taskId);
    return task !== undefined && isHeld(task);
  });
  const money = openMoney(context, sources, secret.hashOf, mediaProcess, async (alert) => {
    const message = await sources.discord.sendBudgetAlert(alert);
    if (message) await safety.serverLogs.recordAlert(alert.guildId, message);
  });
  const pseudonyms = createPseudonyms(store, others);
  const hasUserField = settings.gateway.fields.user !== undefined;
  const userOf = hasUserField ? (memberId: string) => pseudonyms.getOrCreate(memberId) : undefined;
  const conversations = openConversations({ ...context, ...sources, book, money, models, gather, audio, userOf });
  const kinds = [...sources.kinds, ...conversations.kinds];
  const tasks = new Tasks(context, { ...sources, kinds, book, gather, money, safety, models, pseudonyms, userOf });
  const { callbacks } = tasks;
  learnFromTasks(book, experience, models);
  // A result will follow soon, so the process that decodes it is started now.
  book.onChange(({ state, traits }) => {
    if (state === 'accepted' && !traits.isText) mediaProcess.start();
  });
  return {
    domains: { money, safety, conversations, tasks, models, media },
    mediaProcess,

    /** Reads the store, but does not act on its content yet. */
    async open(): Promise<void> {
      await secret.open(store);
      await Promise.all([money.load(), safety.load()]);
      await Promise.all([tasks.open(), experience.open()]);
      await money.start(() => tasks.orders.line.size);
      if (sources.callbackUrls) callbacks.open(sources.callbackUrls);
      else await callbacks.listen(settings.callbacks, secret.value);
    },

    /** Stops polling, and waits for answers that are being streamed. */
    pause: () => Promise.all([tasks.pause(), conversations.finish(), money.stop()]),

    /** Everything that is still waiting for the gateway or a file fails now. */
    close: () => Promise.all([gateway.close(), files.close(), conversations.close(), callbacks.close()]),

    /** Stores the outcome of everything that has failed by then. */
    async stop(): Promise<void> {
      await conversations.finish();
      await tasks.stop();
    },
  };
}

/** Remembers what each model has made, and what it cannot make. */
function learnFromTasks(book: TaskBook, experience: Experience, models: ModelCatalogue): void {
  book.onChange(({ state, traits: { modelKind, isTalk }, request: { model }, failure }) => {
    if (modelKind === undefined || model === undefined) return;
    if (state === 'ready' && !isTalk) void experience.markDelivered(model, modelKind);
    else if (state === 'failed' && isModelCode(failure?.code)) void models.markUnfit(model, modelKind);
  });
}
