import { startDiscord } from '../../../sandbox/discord/discord.ts';
import { modelKindsFile } from '../../../sandbox/gateway/catalogue.ts';
import { type GatewayOptions, type Profile, startGateway } from '../../../sandbox/gateway/gateway.ts';
import type { Member } from '../../../scripts/trial/member-steps.ts';
import type { StepResult } from '../../../scripts/trial/report.ts';
import { openTrial } from '../../../scripts/trial/trial.ts';
import type { KnownWords } from '../../../scripts/trial/words.ts';
import { ruleTargets } from '../../../src/commands/index.ts';
import { readConfig } from '../../../src/config.ts';

export type EmbeddedSides = Awaited<ReturnType<typeof openEmbeddedSides>>;

const POLL_MS = 20;
const MAX_COST = '1000';
const KEY = 'sk-trial-of-the-embedded-gateway';

export async function openEmbeddedSides(profile: Profile, options: GatewayOptions = {}) {
  const [discord, gateway] = await Promise.all([
    // The trial would wait several seconds for these limits.
    startDiscord({ limits: { messagesPerChannel: 100, editsPerChannel: 100 } }),
    startGateway({ profile, seed: 1, keys: [{ key: KEY }], ...options }),
  ]);
  const environment = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: KEY,
    MODERATION_BASE_URL: gateway.url,
    MODERATION_API_KEY: KEY,
    MODEL_KINDS: modelKindsFile,
  };
  const close = async (): Promise<void> => void (await Promise.all([discord.close(), gateway.close()]));
  const config = readConfig(environment, ruleTargets);
  return { discord, gateway, config, channelId: discord.world.channel('studio').id, close };
}

/** Orders an answer, because only an account that was used has entries of usage. */
export async function useAccount({ gateway }: Pick<EmbeddedSides, 'gateway'>): Promise<void> {
  const { ok } = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'quill-5-mini', input: 'ready' }),
  });
  if (!ok) throw new Error('The embedded gateway refused an answer.');
}

/** Runs the steps with these names, or all of them, without a limit: nothing there costs money. */
export async function tryEmbeddedSides(
  { config, channelId }: EmbeddedSides,
  known: KnownWords,
  names?: readonly string[],
  member?: Member,
): Promise<StepResult[]> {
  const trial = await openTrial(config, { channelId, pollMs: POLL_MS, member, maxCost: MAX_COST });
  try {
    const steps = trial.steps.filter(({ name }) => names?.includes(name) ?? true);
    return (await trial.run(steps, { maxCost: MAX_COST, runsUnpriced: true, known })).results;
  } finally {
    await trial.close();
  }
}
