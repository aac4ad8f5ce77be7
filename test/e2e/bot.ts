import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Command } from '../../sandbox/discord/command-registry.ts';
import { type DiscordOptions, type EmbeddedDiscord, startDiscord } from '../../sandbox/discord/discord.ts';
import { modelKindsFile } from '../../sandbox/gateway/catalogue.ts';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../sandbox/gateway/gateway.ts';
import { startApp } from '../../src/app.ts';
import { features, ruleTargets } from '../../src/commands/index.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { registrations } from '../../src/discord/registration.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createLogger, type Log } from '../../src/lib/log.ts';
import type { App, AppTools } from '../../src/roles/app.ts';
import type { GatewayLimits } from '../../src/services/gateway/settings.ts';
import { addCleanup } from '../support/ending.ts';
import { mediaProcess } from '../support/media-process.ts';
import { cachingStudio } from '../support/studio.ts';

export const GATEWAY_API_KEY = 'sk-sandbox';
/** What every bot requests from the gateway when it starts. */
export const START_CHECK = '/v1/models';

/** The environment of a test: an embedded Discord, an embedded gateway, and the configuration of a bot that uses them. */
export interface Fixture {
  discord: EmbeddedDiscord;
  gateway: EmbeddedGateway;
  config: Config;
  /** From which the configuration was read. */
  environment: Record<string, string>;
  /** The complete log output. */
  logged(): string;
  log: Log;
  /** The bot's version. */
  version?: string;
  tools: Pick<AppTools, 'clock' | 'gatewayLimits' | 'mediaClock' | 'extraOrigins' | 'mediaProcess' | 'readSettings'>;
}

export interface FixtureOptions {
  discord?: DiscordOptions;
  gateway?: GatewayOptions;
  settings?: Record<string, string>;
  /** The clock of the bot, Discord and the gateway; by default each uses real time. */
  clock?: Clock;
  /** Local hosts that count as the public internet. */
  extraOrigins?: readonly string[];
  gatewayLimits?: Partial<GatewayLimits>;
  /** The clock for file downloads; by default the same as `clock`. */
  mediaClock?: Clock;
  /** Allows 429 responses, which otherwise fail the test. */
  allowsRateLimits?: boolean;
  /** Whether the commands are registered before the bot starts; an object gives the settings to register them with. */
  registersCommands?: boolean | { userInstall: boolean };
}

/** Starts an embedded Discord and an embedded gateway, and configures the shipped bot for them. */
export async function createFixture({
  discord: discordOptions,
  gateway: gatewayOptions,
  settings,
  registersCommands = true,
  clock,
  gatewayLimits,
  mediaClock,
  extraOrigins = [],
  allowsRateLimits = false,
}: FixtureOptions = {}): Promise<Fixture> {
  const limits = {
    // No minimum time between identifies, so that a restarted bot can identify even if the clock stands still.
    identifyWindowMs: 0,
    // In real time, Discord's three seconds are too short for a process that a busy machine suspends.
    ...(!clock && { acknowledgeMs: 60_000 }),
    ...discordOptions?.limits,
  };
  const registration =
    registersCommands === true ? { userInstall: settings?.DISCORD_USER_INSTALL === 'on' } : registersCommands;
  const commands = registration ? registeredCommands.get(registration.userInstall) : [];
  const discord = await startDiscord({
    ...(clock && { clock }),
    ...(commands && { commands }),
    ...discordOptions,
    limits,
  });
  addCleanup(async () => {
    await discord.close();
    // No test may send a request that the real Discord would refuse.
    expect(discord.violations).toEqual([]);
    if (!allowsRateLimits) expect(discord.rateLimitHits).toEqual([]);
  });
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const gateway = await startGateway({ ...(clock && { clock }), studio, ...gatewayOptions });
  addCleanup(() => gateway.close());
  const folder = await mkdtemp(join(tmpdir(), 'atelier-'));
  addCleanup(() => rm(folder, { recursive: true, force: true }));
  const environment = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY,
    MODEL_KINDS: modelKindsFile,
    LOG_LEVEL: 'debug',
    // As the operator of a stock gateway has to set it.
    ...(gatewayOptions?.profile === 'stock' && { GATEWAY_SIMPLE_CHANGE_ORDER: 'id-first' }),
    STORE_URL: `sqlite://${join(folder, 'atelier.sqlite')}`,
    ...settings,
  };
  const config = readConfig(environment, ruleTargets);
  if (registration && !commands) await registerCommands(discord, registration);
  const lines: string[] = [];
  const logged = (): string => lines.join('');
  const log = createLogger({
    level: config.log.level,
    secrets: [config.discord.token, config.gateway.apiKey],
    isPretty: false,
    write: (line) => lines.push(line),
  });
  const tools = {
    ...(clock && { clock }),
    ...(gatewayLimits && { gatewayLimits }),
    ...(mediaClock && { mediaClock }),
    extraOrigins,
    mediaProcess,
  };
  return { discord, gateway, config, environment, logged, log, tools };
}

/** Starts the shipped bot with an embedded Discord and an embedded gateway, and waits until it is ready. */
export async function startTestBot(options: FixtureOptions = {}): Promise<Fixture & { app: App }> {
  const newFixture = await createFixture(options);
  return { ...newFixture, app: await startBot(newFixture) };
}

/** Starts the shipped bot on a fixture; it can be stopped and started again. */
export async function startBot({ config, log, version = '1.2.3', tools }: Fixture): Promise<App> {
  const app = await startApp(config, { log, version, ...tools });
  addCleanup(() => app.stop());
  return app;
}

/** Registered once over HTTP, by whether members may install the bot for themselves; the Discord of later tests has them from the start. */
const registeredCommands = new Map<boolean, Command[]>();

async function registerCommands(discord: EmbeddedDiscord, settings: { userInstall: boolean }): Promise<void> {
  const body = registrations(features, settings);
  const response = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The commands were not accepted: ${await response.text()}`);
  registeredCommands.set(settings.userInstall, discord.commands.global());
}
