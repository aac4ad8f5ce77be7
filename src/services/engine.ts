import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Asks } from './asks/asks.ts';
import type { Gateway } from './gateway/index.ts';
import { gatewayReach } from './inputs/addresses.ts';
import { gatherer } from './inputs/inputs.ts';
import type { Prices } from './ledger/entry.ts';
import { Ledger } from './ledger/ledger.ts';
import { openMedia } from './media/index.ts';
import { MediaProcess } from './media-process/media-process.ts';
import { ModelCatalogue } from './models/catalogue.ts';
import { transcriberIn } from './models/ids.ts';
import { InProcessScheduler } from './polling/in-process.ts';
import { openSounds } from './sound/sounds.ts';
import type { KeptTasks } from './store/kept-tasks.ts';
import { Talks } from './talks/talks.ts';
import { TaskBook } from './tasks/book.ts';
import type { Kind } from './tasks/kind.ts';
import { Offers } from './tasks/offers.ts';
import type { KindSpecs } from './tasks/task.ts';
import { Tasks, type TasksParts } from './tasks/tasks.ts';
import { UsageDesk } from './usage/usage-desk.ts';

/** The share of the connections to the gateway that polls may use: members' orders need some too. */
const POLLS_SHARE = 0.75;

interface EngineSettings extends Pick<TasksParts, 'maxWaitMs'> {
  gateway: { baseUrl: string; apiKey: string; connections: number; usageUnit?: 'cents' | undefined };
  media: { allowPrivate: boolean; memoryBytes: number };
  poll: { perSecond: number; schedule: 'learned' | 'spec' };
  prices: Prices;
}

interface EngineParts extends Pick<TasksParts, 'removeMessages' | 'tellForgotten'> {
  settings: EngineSettings;
  store: KeptTasks;
  gateway: Gateway;
  specs: KindSpecs;
  /** The features' kinds; those of answers and talks are added here. */
  kinds: readonly Kind[];
  /** Origins of members' files that are allowed although they are in a private network. */
  alsoAllowed: readonly string[];
  clock: Clock;
  /** For the time limits of downloads. */
  mediaClock: Clock;
  log: Log;
  /** Shared with other bots of this process, which close it themselves. */
  mediaProcess?: MediaProcess | undefined;
}

export type Engine = ReturnType<typeof openEngine>;

export function openEngine({ settings, store, gateway, specs, kinds, alsoAllowed, clock, log, ...parts }: EngineParts) {
  const gatewayOrigin = new URL(settings.gateway.baseUrl).origin;
  const { allowPrivate, memoryBytes } = settings.media;
  // Another process takes real time, whatever clock the bot uses.
  const { mediaProcess = new MediaProcess({ clock: systemClock, log, memoryBytes }) } = parts;
  const media = openMedia(
    { gatewayOrigin, apiKey: settings.gateway.apiKey, alsoAllowed, allowPrivate },
    { log, clock: parts.mediaClock, process: mediaProcess },
  );
  const sounds = openSounds({ log, process: mediaProcess });
  const reach = gatewayReach({ gatewayOrigin, alsoAllowed, allowPrivate });
  const gather = gatherer({ media, sounds, log, clock, reach });
  const models = new ModelCatalogue(gateway.models, clock);
  const ledger = new Ledger({ entries: store.entries, prices: settings.prices, clock, log });
  const offers = new Offers(clock);
  const book = new TaskBook({ store, log });
  const asks = new Asks({
    ...{ book, models, gather, clock, log },
    responses: gateway.responses,
    page: (question) => store.page(question),
    patienceMs: settings.maxWaitMs.text,
  });
  const talks = new Talks({
    ...{ book, sounds, clock, log },
    realtime: gateway.realtime,
    transcriber: async () => transcriberIn(await models.atHand()),
  });
  const inFlight = Math.max(1, Math.floor(settings.gateway.connections * POLLS_SHARE));
  const limits = { perSecond: settings.poll.perSecond, inFlight };
  const tasks = new Tasks({
    ...{ book, store, ledger, offers, specs, gather, clock, log },
    kinds: [...kinds, asks.kind, ...talks.kinds],
    scheduler: new InProcessScheduler({ clock, log, random: Math.random, limits }),
    schedule: settings.poll.schedule,
    maxWaitMs: settings.maxWaitMs,
    mayAct: store.tenure.mustBeOurs,
    removeMessages: parts.removeMessages,
    tellForgotten: parts.tellForgotten,
  });
  // Its result follows soon, and is decoded there.
  book.onChange(({ state, traits }) => {
    if (state === 'accepted' && !traits.isInWords) mediaProcess.start();
  });
  const usage = new UsageDesk({
    reports: gateway.usage,
    book: ledger,
    unit: settings.gateway.usageUnit,
    process: mediaProcess,
    log,
  });
  return {
    ...{ tasks, asks, talks, models, offers, media, usage },

    /** Stops polling, and waits for answers that are being streamed. */
    async pause(): Promise<void> {
      await Promise.all([tasks.pause(), asks.finish(), talks.finish()]);
    },

    /** Whatever still waits for the gateway or a file fails now. */
    async close(): Promise<void> {
      const isOwn = mediaProcess !== parts.mediaProcess;
      await Promise.all([gateway.close(), media.close(), sounds.close(), isOwn && mediaProcess.close()]);
    },

    /** Stores the outcome of what has failed by then. */
    async stop(): Promise<void> {
      await Promise.all([asks.finish(), talks.finish()]);
      await tasks.stop();
    },
  };
}
