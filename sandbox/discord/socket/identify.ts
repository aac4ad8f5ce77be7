import { GatewayCloseCodes, GatewayIntentBits } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Parts } from '../parts.ts';
import { guildCreatePayload } from '../wire/guild.ts';
import { ownUserPayload } from '../wire/user.ts';
import { intentsCloseCode } from './intents.ts';
import { isValidToken, type Outcome, refuse } from './outcome.ts';
import { Session } from './session.ts';
import { coversGuild, readShard } from './shard.ts';

/** Starts a session (documentation, events/gateway, "Identifying"). */
export function identify(socket: WebSocket, data: Readonly<Record<string, unknown>>, parts: Parts): Outcome {
  const { world, hub, clock, limits, sessionStarts } = parts;
  if (!isValidToken(data.token, parts)) return refuse(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.');
  const intentsCode = intentsCloseCode(data.intents, parts.privilegedIntents);
  if (intentsCode === 4013) return refuse(intentsCode, 'Invalid intent(s).');
  if (intentsCode === 4014) return refuse(intentsCode, 'Disallowed intent(s).');
  const shard = readShard(data.shard);
  if (!shard) return refuse(GatewayCloseCodes.InvalidShard, 'Invalid shard.');
  const guilds = [...world.guilds.values()].filter((guild) => guild.installed && coversGuild(shard, guild.id));
  if (guilds.length > limits.guildsPerShard) return refuse(GatewayCloseCodes.ShardingRequired, 'Sharding required.');
  const start = sessionStarts.tryStart(shard.id);
  if (start === 'too early') {
    hub.counter.add(shard, 'earlyIdentifies');
    return 'invalid session';
  }
  if (start === 'used up') return refuseAndResetToken(parts);

  const id = BigInt(parts.id()).toString(16);
  const intents = Number(data.intents);
  const session = new Session({ id, intents, shard, socket, maxEvents: limits.sessionEvents });
  hub.add(session);
  session.dispatch('READY', {
    v: 10,
    user: ownUserPayload(world),
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: session.id,
    session_type: 'normal',
    resume_gateway_url: parts.resumeUrl(),
    shard: [shard.id, shard.count],
    application: { id: world.applicationId, flags: 0 },
    private_channels: [],
    user_settings: {},
    relationships: [],
    presences: [],
    _trace: [],
  });
  if ((intents & GatewayIntentBits.Guilds) === 0) return session;
  const includesAllMembers = (intents & GatewayIntentBits.GuildMembers) !== 0;
  for (const guild of guilds)
    session.dispatch('GUILD_CREATE', guildCreatePayload(guild, world, clock.now(), includesAllMembers));
  return session;
}

/** Like Discord, ends all sessions and resets the token, so that the owner has to give the application a new one. */
function refuseAndResetToken({ account, hub, requestLog, clock }: Parts): Outcome {
  const { resetsToken } = account;
  if (resetsToken) {
    account.isTokenReset = true;
    hub.closeSessions(GatewayCloseCodes.AuthenticationFailed);
  }
  const responseText = `All session starts are used up.${resetsToken ? ' The token was reset.' : ''}`;
  const request = { method: 'IDENTIFY', route: '/gateway', path: '/gateway', auth: 'bot' } as const;
  requestLog
    .add({ at: clock.now(), ...request, body: undefined, files: [], status: 0 })
    .update({ status: GatewayCloseCodes.AuthenticationFailed, responseText });
  return refuse(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.');
}
