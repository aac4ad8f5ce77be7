import { Events, type Interaction } from 'discord.js';
import { askInThreads } from './commands/ask/in-threads.ts';
import { fineTunePage } from './commands/finetune/view.ts';
import { inThreads } from './commands/in-threads.ts';
import { handlers, kindSpecs, kindsOf, kindViews, texts } from './commands/index.ts';
import type { Services } from './commands/services.ts';
import { talkInThreads } from './commands/talk/in-threads.ts';
import { unplacedTalks } from './commands/talk/start.ts';
import { forgottenOutcome } from './commands/tasks/own-data.ts';
import { films } from './commands/video/films.ts';
import type { Config } from './config.ts';
import { Answers } from './discord/answers/answers.ts';
import { Delivery } from './discord/delivery/delivery.ts';
import { Follower, lastMoment } from './discord/follower.ts';
import { Funnel } from './discord/funnel.ts';
import { servedHere } from './discord/guards.ts';
import { typedCommands } from './discord/handlers.ts';
import { chronicle, discordClients } from './discord/outbox/clients.ts';
import { Outbox } from './discord/outbox/outbox.ts';
import { removal } from './discord/outbox/removal.ts';
import { Whereabouts } from './discord/place.ts';
import { mustReadMessages, operators, registeredCommands, storedFiles, threadsBy } from './discord/reads.ts';
import { Router } from './discord/router.ts';
import { type Clock, pause, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { Once } from './lib/once.ts';
import { speak } from './locales/index.ts';
import { presenter } from './messages/presenter.ts';
import { Asks } from './services/asks/asks.ts';
import { type Gateway, GatewayError, openGateway } from './services/gateway/index.ts';
import type { GatewayLimits } from './services/gateway/settings.ts';
import { gatewayReach } from './services/inputs/addresses.ts';
import { gatherer } from './services/inputs/inputs.ts';
import { Ledger } from './services/ledger/ledger.ts';
import { openMedia } from './services/media/index.ts';
import { MediaProcess } from './services/media-process/media-process.ts';
import { ModelCatalogue } from './services/models/catalogue.ts';
import { transcriberIn } from './services/models/ids.ts';
import { InProcessScheduler } from './services/polling/in-process.ts';
import { openSounds } from './services/sound/sounds.ts';
import { openStore, type StoreError } from './services/store/index.ts';
import { Talks } from './services/talks/talks.ts';
import { Offers } from './services/tasks/offers.ts';
import { Tasks } from './services/tasks/tasks.ts';
import { UsageDesk } from './services/usage/usage-desk.ts';

/** What is under way when the bot is told to stop may take so long; Discord's own limit to answer is three seconds. */
const STOP_PATIENCE_MS = 10_000;

/** Of all connections to the gateway so many may be asking about tasks: members' orders need some too. */
const POLLS_SHARE = 0.75;

export interface App {
  /** Discord has ended the connection for good, with its close code: the token was reset, most likely. */
  readonly lost: Promise<number>;
  /** The store is not ours any more: whoever started this ends it at once. Nothing is submitted, shown or stored from then on. */
  readonly dispossessed: Promise<StoreError>;
  /** Takes nothing new, finishes what is under way within a limit, and closes everything. */
  stop(): Promise<void>;
}

export interface AppTools {
  log: Log;
  version: string;
  clock?: Clock;
  /** How patient the client of the gateway is. */
  gatewayLimits?: Partial<GatewayLimits>;
  /** By which it is patient with the hosts of files; its own unless told. */
  mediaClock?: Clock;
  /** Shared with other bots of this process, so that it is not closed with this one. */
  mediaProcess?: MediaProcess;
  /** Further origins of an embedded side, where members' files may lie although they are on this machine. */
  alsoAllowed?: readonly string[];
}

/** The wiring: configuration in, running bot out. The sandbox and the tests start the same. */
export async function startApp(config: Config, tools: AppTools): Promise<App> {
  const { log, version, clock = systemClock, gatewayLimits, mediaClock = clock } = tools;
  const say = speak(texts);
  // First of all, for it tells whether another bot is at work here already.
  const store = await openStore(config.store, {
    ...{ log, clock, specs: kindSpecs },
    ...{ botVersion: version, leaseMs: config.storeLeaseMs },
  });
  const { tenure } = store;
  const gateway = openGateway(config.gateway, { log, clock }, gatewayLimits);
  const { baseUrl, apiKey } = config.gateway;
  const gatewayOrigin = new URL(baseUrl).origin;
  const { allowPrivate, memoryBytes } = config.media;
  // Where Discord is in one's own network, its files are there too.
  const alsoAllowed = [new URL(config.discord.apiUrl).origin, ...(tools.alsoAllowed ?? [])];
  // Another process takes real time, whatever clock the bot goes by.
  const { mediaProcess = new MediaProcess({ clock: systemClock, log, memoryBytes }) } = tools;
  const ownProcess = mediaProcess === tools.mediaProcess ? undefined : mediaProcess;
  const media = openMedia(
    {
      gatewayOrigin,
      apiKey,
      alsoAllowed,
      allowPrivate,
    },
    { log, clock: mediaClock, process: mediaProcess },
  );
  const clients = discordClients(config.discord.apiUrl, config.discord, tenure.mustBeOurs);
  const { client, reads } = clients;
  const outbox = new Outbox(clients, log);
  const scheduler = new InProcessScheduler({
    clock,
    log,
    random: Math.random,
    limits: {
      perSecond: config.poll.perSecond,
      inFlight: Math.max(1, Math.floor(config.gateway.connections * POLLS_SHARE)),
    },
  });
  const ledger = new Ledger({ entries: store.entries, prices: config.prices, clock, log });
  const offers = new Offers(clock);
  const models = new ModelCatalogue(gateway.models, clock);
  const sounds = openSounds({ log, process: mediaProcess });
  const gather = gatherer({
    ...{ media, sounds, log, clock },
    reach: gatewayReach({ gatewayOrigin, alsoAllowed, allowPrivate }),
  });
  const asks = new Asks({
    responses: gateway.responses,
    ...{ models, gather, clock, log },
    page: (question) => store.page(question),
    patienceMs: config.maxWaitMs.text,
  });
  const talks = new Talks({
    ...{ realtime: gateway.realtime, sounds, clock, log },
    transcriber: async () => transcriberIn(await models.atHand()),
  });
  const tasks = new Tasks({
    offers,
    store,
    ledger,
    kinds: [...kindsOf(gateway, config.poll), asks.kind, ...talks.kinds],
    specs: kindSpecs,
    scheduler,
    clock,
    log,
    maxWaitMs: config.maxWaitMs,
    schedule: config.poll.schedule,
    gather,
    mayAct: tenure.mustBeOurs,
    removeMessages: removal({ outbox, clock, log }),
    tellForgotten: (memberId, forgotten) => outbox.tellPerson(memberId, forgottenOutcome(forgotten, say)),
  });
  asks.serve(tasks);
  talks.serve(tasks);
  const presented = presenter({
    views: kindViews,
    ...{ media, tasks, say, log, clock, offers, models, isRemix: config.gateway.remix },
    hearsMessages: config.discord.messageContent,
    storedFiles: storedFiles(reads, log),
  });
  const showing = { outbox, clock, log, change: tasks.change.bind(tasks) };
  const delivery = new Delivery({ ...showing, prepare: presented.prepare });
  const answers = new Answers({ ...showing, delivery, plansOf: presented.answerOf });
  tasks.onChange((task) => {
    // Its result comes soon, and is decoded there.
    if (task.state === 'accepted' && !task.traits.isInWords) mediaProcess.start();
    if (task.traits.isInWords) answers.show(task);
    else if (!task.traits.isPart) delivery.show(task);
  });

  const follows = new Follower({
    rows: store.follows,
    fineTunes: gateway.fineTunes,
    outbox,
    clock,
    log,
    quietMs: config.followQuietMs,
    planOf({ id, fineTuneId, tokenExpiresAt }, events, end) {
      const until = lastMoment({ tokenExpiresAt });
      const following =
        end === undefined
          ? ({ is: 'followed', followId: id, until, quietMs: config.followQuietMs } as const)
          : { is: end };
      return fineTunePage({ fineTuneId, events, following }, say);
    },
  });

  const services: Services = {
    models,
    defaultModels: config.models,
    tasks,
    asks,
    talks,
    answers,
    threads: outbox.threads,
    films: films({ media, log, fields: config.gateway.fields }),
    usage: new UsageDesk({
      reports: gateway.usage,
      book: ledger,
      unit: config.gateway.usageUnit,
      process: mediaProcess,
      log,
    }),
    fineTunes: gateway.fineTunes,
    follows,
    followQuietMs: config.followQuietMs,
    adminGuildIds: config.discord.adminGuildIds,
    isOperator: operators(reads, log),
    clock,
    offers,
    answered: new Once(),
    messageOf: presented.messageOf,
    brought: presented.brought,
    async health() {
      const latency = client.ws.ping;
      return {
        version,
        latencyMs: latency < 0 ? undefined : Math.round(latency),
        gateway: await gatewayHealth(gateway, say),
        liveTasks: tasks.liveCount,
        troubles: tasks.troubles(),
        store: tenure.trouble(),
      };
    },
    registered: registeredCommands(
      clients,
      [...typedCommands(handlers.commands).keys(), ...handlers.menus.map(({ name }) => say(`menus.${name}`))],
      clock,
    ),
  };
  const funnel = new Funnel(say, log);
  const whereabouts = new Whereabouts();
  const router = new Router({
    channelTypeOf: (interactionId) => whereabouts.channelTypeOf(interactionId),
    handlers,
    services,
    say,
    outbox,
    clock,
    guards: [servedHere(config.discord)],
    funnel,
  });

  const lost = new Promise<number>((resolve) => client.on(Events.ShardDisconnect, ({ code }) => resolve(code)));
  client.on(Events.Raw, (packet: unknown) => whereabouts.hear(packet));
  const take = (interaction: Interaction): void => void router.take(interaction);
  client.on(Events.InteractionCreate, take);
  if (config.discord.messageContent) {
    const sentenceFor = (error: unknown): string => funnel.sentenceFor(error, 'a message in a thread');
    const hearing = { services, answers, say, clock, sentenceFor };
    const hear = inThreads({
      // Where a conversation takes place, it comes before a question that was asked there once.
      hearers: [talkInThreads(hearing), askInThreads({ ...hearing, isThread: threadsBy(reads) })],
      refusalHere: servedHere(config.discord),
      log,
    });
    client.on(Events.Raw, (packet: unknown) => void hear(packet));
  }
  chronicle(clients, log);
  try {
    if (config.discord.messageContent) await mustReadMessages(reads, config.discord.token, log);
    await tasks.open();
    // Before anybody can begin another one.
    const unplaced = unplacedTalks(tasks);
    await client.login(config.discord.token);
    await tasks.start();
    for (const id of unplaced) await talks.end(id, 'lost');
    await follows.resume();
  } catch (error) {
    await Promise.all([
      clients.close(),
      gateway.close(),
      media.close(),
      sounds.close(),
      ownProcess?.close(),
      store.close(),
    ]);
    throw error;
  }
  log.info({ version, tasks: tasks.liveCount }, 'Atelier is here.');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const finished = new AbortController();
    const late = pause(clock, STOP_PATIENCE_MS, finished.signal).then(() => {
      if (!finished.signal.aborted) log.warn('Stopped before everything under way had ended.');
    });
    const underWay = Promise.all([router.finish(), tasks.pause(), asks.finish(), talks.finish(), follows.pause()])
      .then(() => answers.finish())
      .then(() => delivery.finish());
    await Promise.race([underWay, late]);
    finished.abort();
    client.removeAllListeners(Events.ShardReconnecting);
    await clients.close();
    // Whatever still waits for the gateway fails now, and what that means for its task is stored.
    await Promise.all([gateway.close(), media.close(), sounds.close(), ownProcess?.close()]);
    await Promise.all([asks.finish(), talks.finish()]);
    await tasks.stop();
    log.info('Atelier has stopped.');
  }
  return {
    lost,
    dispossessed: tenure.lost,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function gatewayHealth(gateway: Gateway, say: ReturnType<typeof speak>) {
  const start = performance.now();
  try {
    await gateway.models.list({ attempts: 1 });
    return { answers: true, ms: Math.round(performance.now() - start) } as const;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { answers: false, reason: say(`gateway.${error.kind}`, { message: error.message }) } as const;
  }
}
