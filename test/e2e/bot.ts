import { afterEach, expect } from 'vitest';
import { type DiscordOptions, type EmbeddedDiscord, startDiscord } from '../../sandbox/discord/discord.ts';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../sandbox/gateway/gateway.ts';
import { type App, startApp } from '../../src/app.ts';
import { commands } from '../../src/commands/index.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { openLog } from '../../src/lib/log.ts';

export const key = 'sk-sandbox';

export interface Stage {
  discord: EmbeddedDiscord;
  gateway: EmbeddedGateway;
  config: Config;
  /** Everything the log has written. */
  logged(): string;
}

export interface StageOptions {
  discord?: DiscordOptions;
  gateway?: GatewayOptions;
  settings?: Record<string, string>;
  /** Whether the commands are registered before anybody uses them, and as if which settings were in force. */
  deployed?: boolean | { userInstall: boolean };
}

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Both embedded sides, and the configuration with which the shipped bot finds them. */
export async function stage({
  discord: forDiscord,
  gateway: forGateway,
  settings,
  deployed = true,
}: StageOptions = {}) {
  const discord = await startDiscord(forDiscord);
  closers.push(async () => {
    await discord.close();
    // Whatever a test is about, nothing in it may be what Discord would refuse.
    expect(discord.violations).toEqual([]);
  });
  const gateway = await startGateway(forGateway);
  closers.push(() => gateway.close());
  const config = readConfig({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: key,
    LOG_LEVEL: 'debug',
    ...settings,
  });
  if (deployed) await deploy(discord, deployed === true ? config.discord : deployed);
  const lines: string[] = [];
  const logged = (): string => lines.join('');
  const log = openLog({
    level: config.log.level,
    secrets: [config.discord.token, config.gateway.apiKey],
    readable: false,
    write: (line) => lines.push(line),
  });
  return { discord, gateway, config, logged, log };
}

/** The shipped bot between the two embedded sides, logged in and ready. */
export async function bot(options: StageOptions = {}): Promise<Stage & { app: App }> {
  const { log, ...staged } = await stage(options);
  const app = await startApp(staged.config, { log, version: '1.2.3' });
  closers.push(() => app.stop());
  return { ...staged, app };
}

async function deploy(discord: EmbeddedDiscord, settings: { userInstall: boolean }): Promise<void> {
  const body = commands.map((command) => registrationOf(command, settings));
  const answer = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The commands were not taken: ${await answer.text()}`);
}
