import { missingPermissions, type PermissionName, postPermissions } from '../../discord/guards.ts';
import type { Context } from '../feature.ts';
import { ruleFacts } from '../rule-lines.ts';

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
