import type { Config } from '../../src/config.ts';
import { difference, largestOf, sumOf } from '../../src/lib/decimals.ts';
import { discordSteps } from './discord-steps.ts';
import { gatewaySteps } from './gateway-steps.ts';
import { type Member, memberSteps } from './member-steps.ts';
import { type RunOptions, runSteps, type Step } from './run.ts';
import { openSides } from './sides.ts';

/** Within the specification's fastest schedule. */
const POLL_MS = 2_500;

export interface TrialOptions {
  channelId: string;
  pollMs?: number;
  /** Does what the bot cannot do without a member. Without one, these steps are left out. */
  member?: Member | undefined;
  /** For all steps, in US dollars. The bot may spend for the member what the others leave. */
  maxCost?: string;
}

export type Trial = Awaited<ReturnType<typeof openTrial>>;

/** Reads what the steps need, which costs nothing, and prepares them. */
export async function openTrial(config: Config, { channelId, pollMs = POLL_MS, member, maxCost = '0' }: TrialOptions) {
  const sides = await openSides(config, channelId, pollMs);
  const steps = [...discordSteps(sides, member !== undefined), ...gatewaySteps(sides)];
  const left = largestOf(['0', difference(maxCost, costsOf(steps).total)]) ?? '0';
  if (member) steps.push(...memberSteps(sides, member, left));
  const run = (chosen: readonly Step[], options: RunOptions) => runSteps(chosen, sides, options);
  return { steps, memberCost: member && left, channel: sides.channel, run, close: sides.close };
}

/** The estimates of all steps with a price, in US dollars, and the number of those without one. */
export function costsOf(steps: readonly Step[]): { total: string; unpriced: number } {
  const costs = steps.flatMap(({ cost }) => cost ?? []);
  const known = costs.flatMap(({ estimate }) => estimate ?? []);
  return { total: sumOf(known) ?? '0', unpriced: costs.length - known.length };
}
