import { type APIApplication, type APIGuildChannel, type APIUser, ChannelType, Routes } from 'discord-api-types/v10';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import type { Config } from '../../src/config.ts';
import { createDiscordClients, type DiscordClients } from '../../src/discord/outbox/clients.ts';
import { reachDiscord } from '../../src/discord/reach.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isRecord, parsePlainJson } from '../../src/lib/exact-json.ts';
import { GatewayConnections } from '../../src/services/gateway/connections.ts';
import { Realtime } from '../../src/services/gateway/endpoints/realtime.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import { createGateway, type Gateway } from '../../src/services/gateway/gateway.ts';
import { GatewayHttp } from '../../src/services/gateway/http.ts';
import { defaultGatewayLimits, type GatewaySettings } from '../../src/services/gateway/settings.ts';
import { createModerationService } from '../../src/services/safety/moderation-service.ts';
import { USUAL_PRICING_PATH } from '../setup/gateway-side.ts';
import { EX_CONFIG, Stop } from '../usage.ts';
import { trialPrices } from './prices.ts';
import { Recorder } from './recorder.ts';
import { discordRoutes, gatewayRoutes } from './routes.ts';

export const PROMPT = 'a red kite above a quiet harbour at dawn';
const MAX_PATH_LENGTH = 200;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export type Sides = Awaited<ReturnType<typeof openSides>>;

/** The bot's own clients of both sides, with everything that they receive recorded, and what the steps need to know. Costs nothing. */
export async function openSides(config: Config, channelId: string, pollMs: number) {
  await using opened = new AsyncDisposableStack();
  const recorder = new Recorder();
  const { discord, moderation, prices } = config;
  const clients = openDiscord(discord.apiUrl, recorder, opened);
  const { rest } = clients;
  rest.setToken(discord.token);
  const gateway = openGateway(config.gateway, recorder, opened);
  const bot = (await reachDiscord(rest.get(Routes.user()))) as APIUser;
  const application = (await rest.get(Routes.currentApplication())) as APIApplication;
  const channel = (await rest.get(Routes.channel(channelId)).catch(() => undefined)) as APIGuildChannel | undefined;
  if (channel?.type !== ChannelType.GuildText)
    throw new Stop(
      EX_CONFIG,
      'The bot sees no text channel of a server with this ID. Check --channel, and that the bot may view the channel.',
    );
  const models = await gateway.models.list();
  const { path, group } = config.gateway.pricing;
  const pricingPath = (path ?? USUAL_PRICING_PATH).slice(0, MAX_PATH_LENGTH);
  const list = await gateway.prices.get(pricingPath, { attempts: 1 }).catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
  });
  const names = [bot.username, application.name, channel.name, channel.id, channel.guild_id ?? '', application.id];
  const secrets = [discord.token, config.gateway.apiKey, config.gateway.baseUrl, moderation.apiKey ?? ''];
  // What was read here is read again in the steps.
  await recorder.take(new Set(), []);
  const cleanups = opened.move();
  return {
    config,
    recorder,
    clients,
    bot,
    channel,
    guildId: channel.guild_id ?? '',
    gateway,
    moderation: createModerationService(moderation, { log: silent, clock: systemClock, now: systemClock.now }),
    models,
    pricingPath,
    prices: trialPrices(prices, list || undefined, group),
    pollMs,
    /** Whether the trial has registered the commands itself, and so removes them. */
    hasRegistered: false,
    /** Those of which the report may show no word. */
    ownTexts: [PROMPT, ...names, ...secrets, ...models.map(({ id }) => id)],
    cleanups,
    close: () => cleanups.disposeAsync(),
  };
}

function openGateway(settings: GatewaySettings, recorder: Recorder, opened: AsyncDisposableStack): Gateway {
  const pool = opened.adopt(new GatewayConnections(settings), (own) => own.close());
  const dispatcher = pool.dispatcher.compose(recorder.interceptorFor(gatewayRoutes(settings)));
  const connections = { dispatcher, close: () => pool.close() };
  const parts = { log: silent, clock: systemClock, random: Math.random, connections };
  const gateway = opened.adopt(createGateway(settings, parts), (own) => own.close());
  const http = new GatewayHttp(settings, defaultGatewayLimits, parts);
  const open = http.socket.bind(http);
  // The events of live conversations do not go through the dispatcher.
  http.socket = async (request) => {
    const socket = await open(request);
    const { frames } = recorder.add('SOCKET /v1/realtime', { outcome: '101', frames: [] });
    socket.on('message', (data) => {
      const body = parsePlainJson(String(data));
      frames.push({ type: isRecord(body) && typeof body.type === 'string' ? body.type : '', body });
    });
    return socket;
  };
  return { ...gateway, realtime: opened.adopt(new Realtime(http), (own) => own.close()) };
}

/** The clients of the bot use the dispatcher of the process. */
function openDiscord(apiUrl: string, recorder: Recorder, opened: AsyncDisposableStack): DiscordClients {
  const agent = opened.adopt(new Agent(), (own) => own.close());
  const clients = opened.adopt(createDiscordClients(apiUrl), (own) => own.close());
  const before = getGlobalDispatcher();
  opened.defer(() => setGlobalDispatcher(before));
  setGlobalDispatcher(agent.compose(recorder.interceptorFor(discordRoutes(apiUrl))));
  return clients;
}
