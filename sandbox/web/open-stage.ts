import { randomBytes } from 'node:crypto';
import { EventEmitter, setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { type EmbeddedDiscord, startDiscord } from '../discord/discord.ts';
import type { HeardRequest } from '../discord/heard.ts';
import { startGateway } from '../gateway/gateway.ts';
import { type Belongings, temporaryFolder } from './belongings.ts';
import { BotProcess } from './bot-process.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { BotState } from './protocol.ts';
import { StartFailed } from './refusals.ts';
import { neededBy, realGateway, type Settings } from './settings.ts';
import { runShipped } from './shipped.ts';
import type { Stage } from './stage.ts';
import { Traffic } from './traffic.ts';

/** How long the bot is waited for when everything ends. */
const STOP_PATIENCE_MS = 8_000;
const LAST_WORDS = 10;

export interface StageOptions {
  /** How many times faster than a real gateway the embedded one works. */
  readonly speed: number;
  readonly realGateway: boolean;
  readonly environment: NodeJS.ProcessEnv;
  /** Ends a start that is still under way. */
  readonly signal: AbortSignal;
}

/** Both embedded sides and the shipped bot between them; `ready` when it is there, with its commands registered. */
export async function openStage(
  options: StageOptions,
  belongings: Belongings,
): Promise<{ stage: Stage; ready: Promise<unknown> }> {
  const { environment, signal } = options;
  const folder = temporaryFolder();
  await belongings.keep(folder, () => folder.remove());
  const [discord, { gateway, settings }] = await Promise.all([
    // As in the developer portal: without it the setting below would end the bot.
    startDiscord({ privilegedIntents: ['message-content'] }).then((one) => belongings.keep(one, () => one.close())),
    gatewayFor(options, belongings),
  ]);
  const secrets = [discord.token, settings.GATEWAY_API_KEY ?? ''].filter((secret) => secret !== '');
  const forBot: Settings = { ...neededBy(environment), ...settings, ...settingsFor(discord, folder.path) };
  const bot = new BotProcess({ settings: forBot, secrets, clock: systemClock });
  const stage: Stage = { discord, gateway, bot, traffic: new Traffic(secrets), troubled: new EventEmitter() };
  watch(stage);
  await belongings.keep(bot, () => bot.close(STOP_PATIENCE_MS));
  const here = whenHere(bot);
  bot.start();
  const ready = Promise.all([here, deploy(forBot, signal)]);
  // Whoever asked may look at it later than it fails.
  ready.catch(() => undefined);
  return { stage, ready };
}

async function deploy(settings: Settings, signal: AbortSignal): Promise<void> {
  const { code, said } = await runShipped('scripts/deploy.ts', settings, signal);
  if (code !== 0) throw new StartFailed(`Registering the commands failed:\n${said.trim()}`);
}

/** The bot's own documented variables, and no others. */
const settingsFor = (discord: EmbeddedDiscord, folder: string): Settings => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  DISCORD_USER_INSTALL: 'on',
  DISCORD_MESSAGE_CONTENT: 'on',
  DISCORD_ADMIN_GUILD_IDS: discord.world.guild('atelier').id,
  STORE_URL: `sqlite://${join(folder, 'atelier.sqlite')}`,
  MEDIA_ALLOW_PRIVATE: 'on',
});

async function gatewayFor(
  { realGateway: isReal, environment, speed }: StageOptions,
  belongings: Belongings,
): Promise<{ gateway: GatewaySide; settings: Settings }> {
  if (isReal) {
    const settings = await realGateway(environment);
    return { gateway: { kind: 'real', address: withoutSecrets(settings.GATEWAY_BASE_URL ?? '') }, settings };
  }
  const key = `sk-sandbox-${randomBytes(12).toString('hex')}`;
  const embedded = await startGateway({ speed, keys: [{ key }] });
  await belongings.keep(embedded, () => embedded.close());
  const gateway: GatewaySide = { kind: 'embedded', embedded, usualSpeed: speed };
  return { gateway, settings: { GATEWAY_BASE_URL: embedded.url, GATEWAY_API_KEY: key } };
}

/** Its origin: a name and a password may stand in an address. */
const withoutSecrets = (address: string): string => URL.parse(address)?.origin ?? 'the configured address';

function watch({ discord, gateway, bot, traffic, troubled }: Stage): void {
  // Each open page listens to each of them.
  setMaxListeners(0, bot, traffic, troubled);
  if (gateway.kind === 'embedded') {
    const { jobs, tally, faults, realtime } = gateway.embedded;
    setMaxListeners(0, jobs, tally, faults, realtime);
  }
  discord.listen(({ kind, what }) => {
    if (kind === 'heard') traffic.discord(what as HeardRequest);
    if (kind === 'session' && (what as { connected: number }).connected > 0) bot.isHere();
  });
  if (gateway.kind === 'embedded') gateway.embedded.onHeard((heard) => traffic.gateway(heard));
}

/** Waits for the first time that the bot is there; a start that fails says why. */
function whenHere(bot: BotProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const listen = ({ state, exitCode }: BotState): void => {
    if (state === 'starting') return;
    bot.off('state', listen);
    if (state === 'running') resolve();
    const last = bot.log.slice(-LAST_WORDS).map(({ text }) => `\n  ${text}`);
    reject(
      new StartFailed(`The bot did not start (exit code ${exitCode ?? 'none'}). The end of its log:${last.join('')}`),
    );
  };
  bot.on('state', listen);
  promise.catch(() => undefined);
  return promise;
}
