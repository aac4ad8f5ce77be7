import { missingPermissions } from '../../discord/guards.ts';
import { mayManageServer } from '../../discord/interaction-facts.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type SetupStep, setupSteps } from '../../services/safety/server-setup.ts';
import type { Context } from '../feature.ts';
import { type ChangeName, missingIn, ruleFacts, rulesInSections } from '../rule-lines.ts';

/** Returns the server of the interaction, or refuses if the member cannot set it up. Checked on the command and on every press. */
export function serverToSetUp({ facts }: Context): string {
  const { guildId, install } = facts;
  if (guildId === undefined || install !== 'guild') throw new Refusal('refusals.rules.noServer');
  if (!mayManageServer(facts)) throw new Refusal('refusals.setupNotYours');
  return guildId;
}

/** The steps that are done: what they are for is in place, or an admin has left them with **Next**. */
export async function doneSteps(guildId: string, context: Context): Promise<ReadonlySet<SetupStep>> {
  const marks = await context.services.safety.setup.marks(guildId);
  const steps = await Promise.all(
    setupSteps.map(async (step) => (marks.has(step) || (await isInPlace(step, guildId, context)) ? [step] : [])),
  );
  return new Set(steps.flat());
}

/** Permissions are done only while none is missing. A change that is in place needs no mark. */
export async function finishStep(step: SetupStep, guildId: string, context: Context): Promise<void> {
  if (step !== 'permissions' && !(await isInPlace(step, guildId, context)))
    await context.services.safety.setup.mark(guildId, step);
}

async function isInPlace(step: SetupStep, guildId: string, context: Context): Promise<boolean> {
  const { safety, money } = context.services;
  const hasChanged = (...names: readonly ChangeName[]): boolean =>
    safety.rules.get(guildId).history.some(({ what }) => names.includes(what));
  const { access, use, words, links, moderation, log } = rulesInSections;
  switch (step) {
    case 'permissions':
      return (await checkPermissions(guildId, context)).isPassed;
    case 'access':
      return hasChanged(...access, ...use);
    case 'budget':
      return money.budgets.get(guildId).history.length > 0;
    case 'rules':
      return hasChanged(...words, ...links, ...moderation, ...log);
    case 'privacy':
      return false;
  }
}

/** More channels are not examined. */
const MAX_CHANNELS = 10;

/** Which permissions the bot lacks here, and in the channels that the server's settings name. */
export async function checkPermissions(guildId: string, { facts, services }: Context) {
  const { rules, logChannelId, alertsChannelId } = ruleFacts(guildId, services);
  const allowedIds = rules.access.flatMap(({ effect, channelIds = [] }) => (effect === 'allow' ? channelIds : []));
  // A channel with two uses has a line for each, because each says how to choose another one.
  const uses = [
    ...[...new Set(allowedIds)].map((id) => [id, 'access'] as const),
    ...(alertsChannelId === undefined ? [] : [[alertsChannelId, 'alerts'] as const]),
    ...(logChannelId === undefined ? [] : [[logChannelId, 'log'] as const]),
  ];
  const { reads, outbox } = services.discord;
  const granted =
    uses.length === 0 ? new Map<string, bigint>() : await reads.ownPermissions(guildId, outbox.botUserId ?? '');
  const channels = await Promise.all(
    uses.slice(-MAX_CHANNELS).map(async ([channelId, use]) => {
      return { channelId, use, missing: await missingIn(channelId, granted, reads) };
    }),
  );
  const missingHere = missingPermissions(facts);
  const missing = [missingHere, ...channels.map((one) => one.missing)];
  return {
    missingHere,
    named: channels,
    isPassed: missing.every((names) => names?.length === 0),
    /** Whether permissions can be granted. */
    hasMissing: missing.some((names) => names !== 'gone' && names?.length),
  };
}
