import sharp from 'sharp';
import { type DiscordOptions, type EmbeddedDiscord, startDiscord } from '../../sandbox/discord/discord.ts';
import { type GatewayOptions, startGateway } from '../../sandbox/gateway/gateway.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { noLimits } from '../../test/support/no-limits.ts';

/** Switches off a limit of Discord that is not measured. */
export const UNLIMITED = 1_000_000_000;
const API_KEY = 'sk-sandbox';

interface SidesOptions {
  discord?: DiscordOptions;
  gateway?: Omit<GatewayOptions, 'keys'>;
}

/** Starts the embedded Discord, with the bot's commands, and the embedded gateway. `settings` is the environment of a bot without limits between them. */
export async function openSides(options: SidesOptions = {}) {
  const gateway = await startGateway({ keys: [{ key: API_KEY }], ...options.gateway });
  const discord = await startDiscord(options.discord);
  const response = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(features.map((feature) => registrationOf(feature, { userInstall: false }))),
  });
  if (!response.ok) throw new Error(`The commands were not accepted: ${await response.text()}`);
  const settings: Record<string, string> = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: API_KEY,
    ...noLimits,
  };
  return { discord, gateway, settings };
}

/** An image that cannot be compressed: with a side of 840 it has two megabytes, with 600 one. */
export async function noiseImage(side: number) {
  const size = { width: side, height: side };
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const image = sharp({ create: { ...size, channels: 3, background: '#000', noise } });
  return { bytes: await image.png().toBuffer(), mime: 'image/png', ...size } as const;
}

/** A refused request is cheaper than a successful one, so figures that include one are meaningless. */
export function assertNoViolations({ violations, rateLimitHits: [rateLimitHit] }: EmbeddedDiscord): void {
  // Violations in the embedded Discord's own responses do not concern the measured program.
  const violation = violations.find(({ route }) => !route.startsWith('response '));
  if (violation) throw new Error(`The embedded Discord reported a violation: ${JSON.stringify(violation)}`);
  if (rateLimitHit) throw new Error(`The embedded Discord's own limits were reached: ${JSON.stringify(rateLimitHit)}`);
}
