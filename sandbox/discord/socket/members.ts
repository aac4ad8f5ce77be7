import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { memberPayload, userPayload } from '../wire/user.ts';
import type { Session } from './session.ts';
import { coversGuild } from './shard.ts';

const DEFAULT_MEMBER_LIMIT = 100;

/** Sends members of a guild (documentation, events/gateway-events, "Request Guild Members"). Sending all requires the members intent. */
export function sendMembers(session: Session, request: Readonly<Record<string, unknown>>, { world }: Parts): void {
  const guild = world.guilds.get(String(request.guild_id));
  if (!guild?.installed || !coversGuild(session.shard, guild.id)) return;
  const { query, limit, user_ids: userIds, nonce } = request;
  const ids = userIds === undefined ? undefined : [userIds].flat().map(String);
  const wantsAll = ids === undefined && query === '' && limit === 0;
  if (wantsAll && (session.intents & GatewayIntentBits.GuildMembers) === 0) return;
  const members = [...guild.members.values()].filter(({ userId }) =>
    ids ? ids.includes(userId) : world.user(userId).name.startsWith(String(query ?? '')),
  );
  session.dispatch('GUILD_MEMBERS_CHUNK', {
    guild_id: guild.id,
    members: members
      .slice(0, wantsAll ? undefined : Number(limit) || DEFAULT_MEMBER_LIMIT)
      .map((member) => ({ ...memberPayload(member), user: userPayload(world.user(member.userId)) })),
    chunk_index: 0,
    chunk_count: 1,
    not_found: ids?.filter((id) => !guild.members.has(id)) ?? [],
    ...(nonce !== undefined && { nonce }),
  });
}
