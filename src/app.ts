import { Events, type Interaction } from 'discord.js';
import { kindSpecs, kindsOf, kindViews, texts } from './commands/index.ts';
import { openCommands } from './commands/open-commands.ts';
import { unplacedTalks } from './commands/talk/start.ts';
import { forgottenOutcome } from './commands/tasks/own-data.ts';
import type { Config } from './config.ts';
import { chronicle, discordClients } from './discord/outbox/clients.ts';
import { Outbox } from './discord/outbox/outbox.ts';
import { removal } from './discord/outbox/removal.ts';
import { mustReadMessages, storedFiles } from './discord/reads.ts';
import { type Clock, pause, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { speak } from './locales/index.ts';
import { openMessages } from './messages/open-messages.ts';
import { openEngine } from './services/engine.ts';
import { openGateway } from './services/gateway/index.ts';
import type { GatewayLimits } from './services/gateway/settings.ts';
import type { MediaProcess } from './services/media-process/media-process.ts';
import { openStore, type StoreError } from './services/store/index.ts';

/** What is under way when the bot is told to stop may take so long; Discord's own limit to answer is three seconds. */
const STOP_PATIENCE_MS = 10_000;

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
  const { log, version, clock = systemClock, gatewayLimits, mediaClock = clock, mediaProcess } = tools;
  const say = speak(texts);
  // First of all, for it tells whether another bot is at work here already.
  const store = await openStore(config.store, {
    ...{ log, clock, specs: kindSpecs },
    ...{ botVersion: version, leaseMs: config.storeLeaseMs },
  });
  const { tenure } = store;
  const gateway = openGateway(config.gateway, { log, clock }, gatewayLimits);
  const clients = discordClients(config.discord.apiUrl, config.discord, tenure.mustBeOurs);
  const { client, reads } = clients;
  const outbox = new Outbox(clients, log);
  const engine = openEngine({
    ...{ store, gateway, clock, mediaClock, mediaProcess, log },
    settings: config,
    specs: kindSpecs,
    kinds: kindsOf(gateway, config.poll),
    // Where Discord is in one's own network, its files are there too.
    alsoAllowed: [new URL(config.discord.apiUrl).origin, ...(tools.alsoAllowed ?? [])],
    removeMessages: removal({ outbox, clock, log }),
    tellForgotten: (memberId, forgotten) => outbox.tellPerson(memberId, forgottenOutcome(forgotten, say)),
  });
  const { tasks, talks } = engine;
  const messages = openMessages({
    ...{ engine, outbox, say, clock, log },
    views: kindViews,
    isRemix: config.gateway.remix,
    hearsMessages: config.discord.messageContent,
    storedFiles: storedFiles(reads, log),
  });
  const { router, follows, hear } = openCommands({
    ...{ version, engine, messages, store, gateway, clients, outbox, say, clock, log },
    settings: config,
  });

  const lost = new Promise<number>((resolve) => client.on(Events.ShardDisconnect, ({ code }) => resolve(code)));
  client.on(Events.Raw, hear);
  client.on(Events.InteractionCreate, (interaction: Interaction) => void router.take(interaction));
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
    await Promise.all([clients.close(), engine.close(), store.close()]);
    throw error;
  }
  log.info({ version, tasks: tasks.liveCount }, 'Atelier is ready.');
  // After the start, which must not wait for direct messages, nor fail with them.
  const told = store
    .tellOwners((memberId) => outbox.tellPerson(memberId, { content: say('tasks.unreadable') }))
    .catch((error: unknown) => log.warn({ err: error }, 'Owners could not be told of tasks that cannot be read.'));

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const finished = new AbortController();
    const late = pause(clock, STOP_PATIENCE_MS, finished.signal).then(() => {
      if (!finished.signal.aborted) log.warn('Stopped before everything under way had ended.');
    });
    const underWay = Promise.all([router.finish(), engine.pause(), follows.pause(), told]).then(() =>
      messages.finish(),
    );
    await Promise.race([underWay, late]);
    finished.abort();
    client.removeAllListeners(Events.ShardReconnecting);
    await clients.close();
    await engine.close();
    await engine.stop();
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
