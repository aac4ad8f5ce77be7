import { type APIApplicationCommand, Events, type Interaction, Routes } from 'discord.js';
import { buttons } from './buttons/index.ts';
import { commands } from './commands/index.ts';
import type { Services } from './commands/services.ts';
import type { Config } from './config.ts';
import { discordClients } from './discord/clients.ts';
import { Funnel } from './discord/funnel.ts';
import { servedHere } from './discord/guards.ts';
import type { Place } from './discord/place.ts';
import { Router } from './discord/router.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { pause } from './lib/pause.ts';
import { speak } from './locales/index.ts';
import { GatewayError, openGateway } from './services/gateway/index.ts';
import { ModelCatalogue } from './services/models/catalogue.ts';

/** What is under way when the bot is told to stop may take so long; Discord's own limit to answer is three seconds. */
const STOP_PATIENCE_MS = 10_000;
/** Registered commands change when somebody deploys. */
const REGISTERED_FRESH_MS = 10 * 60_000;

export interface App {
  /** Discord has ended the connection for good, with its close code: the token was reset, most likely. */
  readonly lost: Promise<number>;
  /** Takes nothing new, finishes what is under way within a limit, and closes everything. */
  stop(): Promise<void>;
}

export interface AppTools {
  log: Log;
  version: string;
  clock?: Clock;
}

/** The wiring: configuration in, running bot out. The sandbox and the tests start the same. */
export async function startApp(config: Config, { log, version, clock = systemClock }: AppTools): Promise<App> {
  const say = speak();
  const gateway = openGateway(config.gateway, { log, clock });
  const { client, tokenRest } = discordClients(config.discord.apiUrl);
  const models = new ModelCatalogue(gateway.models, clock);

  async function gatewayHealth() {
    const start = performance.now();
    try {
      await gateway.models.list({ attempts: 1 });
      return { answers: true, ms: Math.round(performance.now() - start) } as const;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { answers: false, reason: say(`gateway.${error.kind}`, { message: error.message }) } as const;
    }
  }

  const services: Services = {
    models,
    async health() {
      const latency = client.ws.ping;
      return { version, latencyMs: latency < 0 ? undefined : Math.round(latency), gateway: await gatewayHealth() };
    },
    registered: registeredCommands(clock, async (guildId) => {
      const id = client.application?.id ?? '';
      const route =
        guildId === undefined ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guildId);
      return (await client.rest.get(route)) as APIApplicationCommand[];
    }),
  };
  const router = new Router({
    handlers: { commands, buttons },
    services,
    say,
    tokenRest,
    guards: [servedHere(config.discord)],
    funnel: new Funnel(say, log),
  });

  const lost = new Promise<number>((resolve) => client.on(Events.ShardDisconnect, ({ code }) => resolve(code)));
  const take = (interaction: Interaction): void => void router.take(interaction);
  client.on(Events.InteractionCreate, take);
  client.on(Events.Error, (error) => log.error({ err: error }, 'The Discord client failed.'));
  client.on(Events.ShardReconnecting, () => log.info('The connection to Discord is being renewed.'));
  client.on(Events.ShardResume, () => log.info('The connection to Discord is back.'));
  client.rest.on('rateLimited', ({ route, timeToReset, global }) =>
    log.warn({ route, timeToReset, global }, 'Discord asks to wait.'),
  );
  tokenRest.on('rateLimited', ({ route, timeToReset }) => log.warn({ route, timeToReset }, 'Discord asks to wait.'));
  for (const rest of [client.rest, tokenRest]) {
    rest.on('invalidRequestWarning', ({ count }) =>
      log.warn({ count }, 'Discord counts many invalid requests; at 10,000 it shuts the address out.'),
    );
  }
  try {
    await client.login(config.discord.token);
  } catch (error) {
    await Promise.all([client.destroy(), gateway.close()]);
    throw error;
  }
  log.info({ version }, 'Atelier is here.');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const finished = new AbortController();
    const late = pause(clock, STOP_PATIENCE_MS, finished.signal).then(() => {
      if (!finished.signal.aborted) log.warn('Stopped before everything under way had ended.');
    });
    await Promise.race([router.finish(), late]);
    finished.abort();
    client.removeAllListeners(Events.ShardReconnecting);
    await client.destroy();
    await gateway.close();
    log.info('Atelier has stopped.');
  }
  return {
    lost,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

type Registered = ReadonlyMap<string, string>;

/** Our commands as Discord has them, global ones and a server's own, by name. */
function registeredCommands(clock: Clock, fetch: (guildId?: string) => Promise<APIApplicationCommand[]>) {
  const known = new Map<string, { at: number; commands: Registered }>();
  return async ({ guildId, install }: Place): Promise<Registered> => {
    // A server that has not installed the bot shows it nothing, and has none of its own commands.
    const home = install === 'guild' ? guildId : undefined;
    const place = home ?? '';
    const there = known.get(place);
    if (there && clock.now() - there.at < REGISTERED_FRESH_MS) return there.commands;
    const lists = await Promise.all([fetch(), ...(home === undefined ? [] : [fetch(home)])]);
    const ours = lists.flat().filter(({ name }) => commands.some((command) => command.name === name));
    const registered = new Map(ours.map(({ name, id }) => [name, id]));
    known.set(place, { at: clock.now(), commands: registered });
    return registered;
  };
}
