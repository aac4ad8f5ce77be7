import { type APIApplication, type APIGuildChannel, type APIUser, ChannelType, Routes } from 'discord-api-types/v10';
import packageFile from '../../package.json' with { type: 'json' };
import type { Config } from '../../src/config.ts';
import { reachDiscord } from '../../src/discord/reach.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { difference, largestOf, sumOf } from '../../src/lib/decimals.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import type { Gateway } from '../../src/services/gateway/gateway.ts';
import { createModerationService } from '../../src/services/safety/moderation-service.ts';
import { USUAL_PRICING_PATH } from '../setup/gateway-side.ts';
import { Stop } from '../setup/terminal.ts';
import { discordSteps } from './discord-steps.ts';
import { gatewaySteps, PROMPT } from './gateway-steps.ts';
import { type Member, memberSteps, startBot } from './member-steps.ts';
import { TrialPrices } from './prices.ts';
import { Recorder } from './recorder.ts';
import { runSteps, type Step, type TrialRun } from './run.ts';
import { openDiscord, openGateway } from './sides.ts';

const EX_CONFIG = 78;
/** Within the specification's fastest schedule. */
const POLL_MS = 2_500;
const MAX_PATH_LENGTH = 200;

export interface TrialOptions {
  channelId: string;
  pollMs?: number;
  /** Does what the bot cannot do without a member. Without one, these steps are left out. */
  member?: Member | undefined;
  /** For all steps, in US dollars. The bot may spend for the member what the others leave. */
  maxCost?: string;
}

export type Trial = Awaited<ReturnType<typeof openTrial>>;

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Reads what the steps need, which costs nothing, and prepares them. */
export async function openTrial(config: Config, { channelId, pollMs = POLL_MS, member, maxCost = '0' }: TrialOptions) {
  const recorder = new Recorder();
  const { clients, close: closeDiscord } = openDiscord(config.discord.apiUrl, config.discord.token, recorder);
  const gateway = openGateway(config.gateway, recorder);
  let stopBot: (() => Promise<void>) | undefined;
  const close = async (): Promise<void> => {
    await stopBot?.();
    await Promise.all([closeDiscord(), gateway.close()]);
  };
  try {
    const { rest } = clients;
    const bot = (await reachDiscord(rest.get(Routes.user()))) as APIUser;
    const application = (await rest.get(Routes.currentApplication())) as APIApplication;
    const channel = (await rest.get(Routes.channel(channelId)).catch(() => undefined)) as APIGuildChannel | undefined;
    if (channel?.type !== ChannelType.GuildText)
      throw new Stop(
        EX_CONFIG,
        'The bot sees no text channel of a server with this ID. Check --channel, and that the bot may view the channel.',
      );
    const models = await gateway.models.list();
    const pricingPath = (config.gateway.pricing.path ?? USUAL_PRICING_PATH).slice(0, MAX_PATH_LENGTH);
    const prices = new TrialPrices(config.prices, await pricesOf(gateway, pricingPath), config.gateway.pricing.group);
    const { image, video, music, text, talk } = config.models;
    const preferred = { image, video, music, text, voice: talk };
    const discordSide = {
      clients,
      channel,
      bot,
      userInstall: config.discord.userInstall,
      mentions: config.discord.mentions,
      keepsCommands: member !== undefined,
      hasRegistered: false,
    };
    const ownSteps: Step[] = [
      ...discordSteps(discordSide),
      ...gatewaySteps({
        gateway,
        moderation: createModerationService(config.moderation, { log: silent, clock: systemClock }),
        recorder,
        clock: systemClock,
        models,
        overrides: config.modelKinds,
        prices,
        preferred,
        pricingPath,
        pollMs,
      }),
    ];
    const start = async (): Promise<void> => {
      const left = largestOf(['0', difference(maxCost, costsOf(ownSteps).total)]) ?? '0';
      stopBot = await startBot(config, { version: packageFile.version, maxCost: left, recorder });
    };
    const steps = [
      ...ownSteps,
      ...(member
        ? [
            { side: 'member' as const, name: 'Start of the bot', run: start },
            ...memberSteps(discordSide, member, recorder),
          ]
        : []),
    ];
    const names = [bot.username, application.name, channel.name, channel.id, channel.guild_id ?? '', application.id];
    const { moderation } = config;
    const secrets = [config.discord.token, config.gateway.apiKey, config.gateway.baseUrl, moderation.apiKey ?? ''];
    const ownTexts = [PROMPT, ...names, ...secrets, ...models.map(({ id }) => id)];
    // What was read to prepare the steps is read again in them.
    await recorder.take(new Set(), []);
    const run = (chosen: readonly Step[], options: Omit<TrialRun, 'recorder' | 'clock' | 'ownTexts'>) =>
      runSteps(chosen, { recorder, clock: systemClock, ownTexts: () => ownTexts, ...options });
    return { steps, channel, run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const pricesOf = (gateway: Gateway, path: string) =>
  gateway.prices.get(path, { attempts: 1 }).catch((error: unknown) => {
    if (error instanceof GatewayError) return undefined;
    throw error;
  });

/** The estimates of all steps with a price, in US dollars, and the number of those without one. */
export function costsOf(steps: readonly Step[]): { total: string; unpriced: number } {
  const costs = steps.flatMap(({ cost }) => cost ?? []);
  const known = costs.flatMap(({ estimate }) => estimate ?? []);
  return { total: sumOf(known) ?? '0', unpriced: costs.length - known.length };
}
