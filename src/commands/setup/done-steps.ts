import { missingPermissions, type PermissionName, postPermissions } from '../../discord/guards.ts';
import { mayManageServer } from '../../discord/interaction-facts.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type SetupStep, setupSteps } from '../../services/safety/server-setup.ts';
import type { Context } from '../feature.ts';
import { type ChangeName, ruleFacts, rulesInSections } from '../rule-lines.ts';

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

interface NamedChannel {
  channelId: string;
  use: 'log' | 'alerts' | 'access';
  /** Undefined if the channel is a thread or was deleted, or if Discord does not respond. */
  missingNames: PermissionName[] | undefined;
}

/** More channels are not examined. */
const MAX_CHANNELS = 10;

/** Which permissions the bot lacks here, and in the channels that the server's settings name. */
export async function checkPermissions(guildId: string, { facts, services }: Context) {
  const { rules, logChannelId, alertsChannelId } = ruleFacts(guildId, services);
  const allowedIds = rules.access.flatMap(({ effect, channelIds = [] }) => (effect === 'allow' ? channelIds : []));
  const uses = new Map<string, NamedChannel['use']>([
    ...allowedIds.map((id) => [id, 'access'] as const),
    ...(alertsChannelId === undefined ? [] : [[alertsChannelId, 'alerts'] as const]),
    ...(logChannelId === undefined ? [] : [[logChannelId, 'log'] as const]),
  ]);
  const { reads, outbox } = services.discord;
  const granted = uses.size === 0 ? undefined : await reads.ownPermissions(guildId, outbox.botUserId ?? '');
  const channels = [...uses].slice(-MAX_CHANNELS).map(([channelId, use]): NamedChannel => {
    const appPermissions = granted?.get(channelId);
    const missingNames =
      appPermissions === undefined ? undefined : missingPermissions({ appPermissions }, postPermissions);
    return { channelId, use, missingNames };
  });
  const missingHere = missingPermissions(facts);
  const isPassed = missingHere.length === 0 && channels.every(({ missingNames }) => missingNames?.length === 0);
  return { missingHere, named: channels, isPassed };
}
