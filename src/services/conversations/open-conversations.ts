import type { AppContext } from '../../lib/app-context.ts';
import { systemClock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { ModelCatalogue } from '../gateway/model-catalogue.ts';
import { findTranscriber } from '../gateway/model-ids.ts';
import type { AudioService } from '../media/audio.ts';
import type { Money } from '../money/open-money.ts';
import type { TaskBook } from '../orders/book.ts';
import type { Discord } from '../orders/discord.ts';
import type { TaskStore } from '../orders/task-store.ts';
import type { Gather, MemberFile } from '../tasks/materials.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { Asks } from './asks.ts';
import { Talks } from './talks.ts';

interface ConversationSettings {
  models: Readonly<Partial<Record<'image' | 'video', string>>>;
  maxWaitMs: { text: number };
}

export interface ConversationSources {
  settings: ConversationSettings;
  store: TaskStore;
  gateway: Gateway;
  discord: Discord;
}

interface OpenedDomains {
  book: TaskBook;
  money: Money;
  models: ModelCatalogue;
  gather: Gather;
  audio: AudioService;
  userOf: ((memberId: string) => Promise<string>) | undefined;
}

/** Opens the answers of `/ask` and live conversations. */
export function openConversations(
  context: AppContext,
  { settings, store, gateway, discord }: ConversationSources,
  { book, money, models, gather, audio, userOf }: OpenedDomains,
) {
  const { ledger, prices } = money;
  const timeLimitMs = settings.maxWaitMs.text;
  // A thread takes real time, even if the bot uses a different clock.
  const schemas = new AnswerSchemas(gather, timeLimitMs, systemClock);
  const asks = new Asks({
    ...context,
    book,
    ledger,
    models,
    gather,
    schemas,
    prices,
    timeLimitMs,
    responses: gateway.responses,
    transcriptions: gateway.transcriptions,
    refresh: discord.refreshUrls,
    userOf,
    priceOf: (kind, { prompt, model = settings.models[kind] ?? '' }) =>
      prices.estimateOf({ kind, request: { prompt, model } }),
    answers: { get: (id) => book.get(id), page: (query) => store.page(query) },
  });
  const talks = new Talks({
    ...context,
    book,
    prices,
    sounds: audio,
    realtime: gateway.realtime,
    transcriber: async () => findTranscriber(await models.listQuickly()),
  });
  return {
    asks,
    talks,
    schemas,
    kinds: [asks.kind, ...talks.kinds],

    /** Reads the text of a member's file. */
    async readText(file: MemberFile, memberId: string): Promise<string> {
      const { documents: [document] = [] } = await gather({ documents: [file] }, { memberId, timeLimitMs });
      if (document?.text === undefined) throw new Refusal('refusals.notText');
      return document.text;
    },

    async finish(): Promise<void> {
      await Promise.all([asks.finish(), talks.finish()]);
    },

    close: (): Promise<void> => schemas.close(),
  };
}
