import { Events, type Interaction } from 'discord.js';
import { buttons, forms, openers } from './buttons/index.ts';
import { commands } from './commands/index.ts';
import type { Services } from './commands/services.ts';
import type { Config } from './config.ts';
import { chronicle } from './discord/chronicle.ts';
import { discordClients } from './discord/clients.ts';
import { Delivery } from './discord/delivery/delivery.ts';
import { Funnel } from './discord/funnel.ts';
import { servedHere } from './discord/guards.ts';
import { operators } from './discord/operators.ts';
import { registeredCommands } from './discord/registered.ts';
import { Router } from './discord/router.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { pause } from './lib/pause.ts';
import { speak } from './locales/index.ts';
import { gatherer } from './materials.ts';
import { presenter } from './present.ts';
import { type Gateway, GatewayError, openGateway } from './services/gateway/index.ts';
import type { GatewayLimits } from './services/gateway/settings.ts';
import { Ledger } from './services/ledger/ledger.ts';
import { openMedia } from './services/media/index.ts';
import { ModelCatalogue } from './services/models/catalogue.ts';
import { imgxKinds } from './services/tasks/kinds/imgx.ts';
import { Offers } from './services/tasks/offers.ts';
import { InProcessScheduler } from './services/tasks/scheduler/in-process.ts';
import { openStore, type StoreError } from './services/tasks/store/index.ts';
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
}

/** The wiring: configuration in, running bot out. The sandbox and the tests start the same. */
export async function startApp(config: Config, tools: AppTools): Promise<App> {
  const { log, version, clock = systemClock, gatewayLimits } = tools;
  const say = speak();
  // First of all, for it tells whether another bot is at work here already.
  const store = await openStore(config.store, { log, clock, botVersion: version, leaseMs: config.storeLeaseMs });
  const { tenure } = store;
  const gateway = openGateway(config.gateway, { log, clock }, gatewayLimits);
  const { baseUrl, apiKey } = config.gateway;
  const media = openMedia(
    {
      gatewayOrigin: new URL(baseUrl).origin,
      apiKey,
      // Where Discord is in one's own network, its files are there too.
      alsoAllowed: [new URL(config.discord.apiUrl).origin],
      allowPrivate: config.media.allowPrivate,
    },
    { log, clock },
  );
  const clients = discordClients(config.discord.apiUrl, tenure.mustBeOurs);
  const { client, tokenRest } = clients;
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
  const tasks = new Tasks({
    store,
    ledger,
    kinds: imgxKinds(gateway.imgx, { inLists: config.poll.imgxLists }),
    scheduler,
    clock,
    log,
    maxWaitMs: config.maxWaitMs,
    gather: gatherer({ media, log }),
    mayAct: tenure.mustBeOurs,
  });
  const offers = new Offers();
  const presented = presenter({ media, tasks, say, log, offers, isRemix: config.gateway.remix });
  const delivery = new Delivery({
    botRest: client.rest,
    tokenRest,
    clock,
    log,
    prepare: presented.prepare,
    change: (id, transition) => tasks.change(id, transition),
  });
  tasks.onChange((task) => delivery.show(task));

  const services: Services = {
    models: new ModelCatalogue(gateway.models, clock),
    tasks,
    usage: new UsageDesk({ reports: gateway.usage, book: ledger, unit: config.gateway.usageUnit, log }),
    adminGuildIds: config.discord.adminGuildIds,
    isOperator: operators(client.rest, log),
    clock,
    offers,
    messageOf: presented.messageOf,
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
      client,
      commands.map(({ name }) => name),
      clock,
    ),
  };
  const router = new Router({
    handlers: { commands, buttons, openers, forms },
    services,
    say,
    rests: clients,
    clock,
    guards: [servedHere(config.discord)],
    funnel: new Funnel(say, log),
  });

  const lost = new Promise<number>((resolve) => client.on(Events.ShardDisconnect, ({ code }) => resolve(code)));
  const take = (interaction: Interaction): void => void router.take(interaction);
  client.on(Events.InteractionCreate, take);
  chronicle(clients, log);
  try {
    await tasks.open();
    await client.login(config.discord.token);
    await tasks.start();
  } catch (error) {
    await Promise.all([client.destroy(), gateway.close(), media.close(), store.close()]);
    throw error;
  }
  log.info({ version, tasks: tasks.liveCount }, 'Atelier is here.');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const finished = new AbortController();
    const late = pause(clock, STOP_PATIENCE_MS, finished.signal).then(() => {
      if (!finished.signal.aborted) log.warn('Stopped before everything under way had ended.');
    });
    const underWay = Promise.all([router.finish(), tasks.pause()]).then(() => delivery.finish());
    await Promise.race([underWay, late]);
    finished.abort();
    client.removeAllListeners(Events.ShardReconnecting);
    await client.destroy();
    // Whatever still waits for the gateway fails now, and what that means for its task is stored.
    await Promise.all([gateway.close(), media.close()]);
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
