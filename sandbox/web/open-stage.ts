import { randomBytes } from 'node:crypto';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import type { Language } from '../../src/lib/languages.ts';
import { type EmbeddedDiscord, startDiscord } from '../discord/discord.ts';
import type { RecordedRequest } from '../discord/request-log.ts';
import { modelKindsFile } from '../gateway/catalogue.ts';
import { startGateway } from '../gateway/gateway.ts';
import { BotProcess } from './bot-process.ts';
import { runScript } from './bot-script.ts';
import type { BotGateway } from './gateway-side.ts';
import type { BotState } from './protocol.ts';
import { PSEUDO_LANGUAGE } from './pseudo-strings.ts';
import { type Resources, temporaryFolder } from './resources.ts';
import { gatewaySettings, type Settings, systemSettings } from './settings.ts';
import type { Stage } from './stage.ts';
import { StartError } from './start-errors.ts';
import { setUpStrictServer } from './strict-server.ts';
import { Traffic } from './traffic.ts';

/** How long the bot may take to stop when the sandbox ends. */
const STOP_LIMIT_MS = 8_000;
const REPORTED_LINES = 10;
const SPEAK_PSEUDO_LANGUAGE = './sandbox/web/speak-pseudo-language.ts';

export interface StageOptions {
  /** The speed of the embedded gateway, relative to a real one. */
  readonly speed: number;
  readonly realGateway: boolean;
  /** What language Discord is in for all members and servers at the start. */
  readonly language?: Language | typeof PSEUDO_LANGUAGE;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts a start that is still in progress. */
  readonly signal: AbortSignal;
}

/** Starts the embedded servers and the bot; `ready` resolves once the bot is connected and its commands are registered. */
export async function startStage(
  options: StageOptions,
  resources: Resources,
): Promise<{ stage: Stage; ready: Promise<unknown> }> {
  const { environment, signal, language = 'en' } = options;
  const folder = temporaryFolder();
  await resources.add(folder, () => folder.remove());
  const [discord, { gateway, settings }] = await Promise.all([
    // Enables the intent as in the developer portal; without it, `DISCORD_MESSAGE_CONTENT` would make the bot exit.
    startDiscord({ privilegedIntents: ['message-content'] }).then((one) => resources.add(one, () => one.close())),
    setUpGateway(options, resources),
  ]);
  const secrets = [discord.token, settings.GATEWAY_API_KEY ?? ''].filter((secret) => secret !== '');
  const storeFile = join(folder.path, 'atelier.sqlite');
  const botSettings: Settings = { ...systemSettings(environment), ...settings, ...settingsFor(discord, storeFile) };
  const preloaded = language === PSEUDO_LANGUAGE ? [SPEAK_PSEUDO_LANGUAGE] : [];
  const bot = new BotProcess({ settings: botSettings, secrets, clock: systemClock, preloaded });
  const stage: Stage = {
    discord,
    gateway,
    bot,
    storeFile,
    traffic: new Traffic(secrets),
    troubles: new EventEmitter(),
  };
  connectEvents(stage);
  await resources.add(bot, () => bot.close(STOP_LIMIT_MS));
  const connection = waitForConnection(bot);
  bot.start();
  const ready = Promise.all([connection, deploy(botSettings, signal)])
    .then(() => setUpStrictServer(discord, gateway))
    // Last, because the set-up presses English buttons.
    .then(() => setLocale(discord, language === 'en' ? 'en-US' : language));
  // The promise may reject before the caller awaits it.
  ready.catch(() => undefined);
  return { stage, ready };
}

function setLocale({ world }: EmbeddedDiscord, locale: string): void {
  for (const one of [...world.users.values(), ...world.guilds.values()]) one.locale = locale;
}

async function deploy(settings: Settings, signal: AbortSignal): Promise<void> {
  const { code, output } = await runScript('scripts/deploy.ts', settings, signal);
  if (code !== 0) throw new StartError(`Registering the commands failed:\n${output.trim()}`);
}

/** The bot's settings; uses only documented variables. */
const settingsFor = (discord: EmbeddedDiscord, storeFile: string): Settings => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  DISCORD_USER_INSTALL: 'on',
  DISCORD_MESSAGE_CONTENT: 'on',
  DISCORD_ADMIN_GUILD_IDS: discord.world.guild('atelier').id,
  STORE_URL: `sqlite://${storeFile}`,
  MEDIA_ALLOW_PRIVATE: 'on',
});

async function setUpGateway(
  { realGateway: isReal, environment, speed }: StageOptions,
  resources: Resources,
): Promise<{ gateway: BotGateway; settings: Settings }> {
  if (isReal) {
    const settings = await gatewaySettings(environment);
    return { gateway: { kind: 'real', address: withoutSecrets(settings.GATEWAY_BASE_URL ?? '') }, settings };
  }
  const key = `sk-sandbox-${randomBytes(12).toString('hex')}`;
  // Reports prices and costs as many gateways do.
  const embedded = await startGateway({ speed, keys: [{ key }], quirks: { pricesListed: true, tellsQuota: true } });
  await resources.add(embedded, () => embedded.close());
  const callbackPort = await freePort();
  const gateway: BotGateway = { kind: 'embedded', embedded, initialSpeed: speed, key };
  return {
    gateway,
    settings: {
      GATEWAY_BASE_URL: embedded.url,
      GATEWAY_API_KEY: key,
      GATEWAY_PRICING_PATH: '/api/pricing',
      GATEWAY_PRICING_GROUP: 'default',
      MODERATION_BASE_URL: embedded.url,
      MODERATION_API_KEY: key,
      MODEL_KINDS: modelKindsFile,
      CALLBACK_URL: `http://127.0.0.1:${callbackPort}/callbacks`,
      CALLBACK_PORT: String(callbackPort),
      GATEWAY_MUSIC_CALLBACK_FIELD: 'notify_hook',
      GATEWAY_VIDEO_CALLBACK_FIELD: 'callback_url',
    },
  };
}

/** Finds a port that is free now; the bot listens on it at every start. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns only the origin, because a URL can contain a user name and a password. */
const withoutSecrets = (url: string): string => URL.parse(url)?.origin ?? 'the configured URL';

function connectEvents({ discord, gateway, bot, traffic, troubles }: Stage): void {
  // Every open page adds its own listeners.
  setMaxListeners(0, bot, traffic, troubles);
  if (gateway.kind === 'embedded') {
    const { jobs, tally, faults, realtime } = gateway.embedded;
    setMaxListeners(0, jobs, tally, faults, realtime);
  }
  discord.listen(({ kind, what }) => {
    if (kind === 'heard') traffic.addDiscordRequest(what as RecordedRequest);
    if (kind === 'session' && (what as { connected: number }).connected > 0) bot.markConnected();
  });
  if (gateway.kind === 'embedded') {
    gateway.embedded.onRequest((request) => traffic.addGatewayRequest(request));
    gateway.embedded.onCallback((sent) => traffic.addCallback(sent));
  }
}

/** Waits for the bot's first connection; if the start fails, the error includes the end of the log. */
function waitForConnection(bot: BotProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onState = ({ state, exitCode }: BotState): void => {
    if (state === 'starting') return;
    bot.off('state', onState);
    if (state === 'running') resolve();
    const lastLines = bot.log.slice(-REPORTED_LINES).map(({ text }) => `\n  ${text}`);
    reject(
      new StartError(
        `The bot did not start (exit code ${exitCode ?? 'none'}). The end of its log:${lastLines.join('')}`,
      ),
    );
  };
  bot.on('state', onState);
  promise.catch(() => undefined);
  return promise;
}
