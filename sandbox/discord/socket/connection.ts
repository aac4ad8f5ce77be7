import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Parts } from '../parts.ts';
import { guildCreateWire } from '../wire/guild.ts';
import { ownUserWire } from '../wire/user.ts';
import { intentsCloseCode } from './intents.ts';
import { sendMembers } from './members.ts';
import { Session } from './session.ts';

const HEARTBEAT_MS = 41_250;
const MINUTE_MS = 60_000;

/** Serves one gateway connection (documentation, events/gateway, "Connection Lifecycle"). */
export function serveConnection(
  socket: WebSocket,
  query: Readonly<Record<string, string | undefined>>,
  parts: Parts,
): void {
  let session: Session | undefined;
  let recentSends: number[] = [];
  const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d, s: null, t: null }));
  // After an invalid session, a socket may resume or identify again.
  const hasSession = () => session?.socket === socket;
  const publishSessions = () => {
    const { connected, identifies, resumes } = parts.hub;
    parts.stream.publish({ kind: 'session', what: { connected, identifies, resumes } });
  };
  const isRateLimited = () => {
    const now = parts.clock.now();
    recentSends = [...recentSends.filter((at) => at > now - MINUTE_MS), now];
    return recentSends.length > parts.limits.gatewaySendsPerMinute;
  };

  socket.on('close', () => {
    if (session) session.detach(socket);
    publishSessions();
    parts.watch.notify();
  });
  socket.on('error', () => socket.terminate());
  socket.on('message', (data) => {
    if (isRateLimited()) return socket.close(GatewayCloseCodes.RateLimited, 'Rate limited.');
    const message = parsePayload(String(data));
    if (!message) return socket.close(GatewayCloseCodes.DecodeError, 'Error while decoding payload.');
    switch (message.op) {
      case GatewayOpcodes.Heartbeat:
        return send(GatewayOpcodes.HeartbeatAck, null);
      case GatewayOpcodes.Identify:
        if (hasSession()) return socket.close(GatewayCloseCodes.AlreadyAuthenticated, 'Already authenticated.');
        session = identify(socket, message.d, parts);
        publishSessions();
        break;
      case GatewayOpcodes.Resume:
        if (hasSession()) return socket.close(GatewayCloseCodes.AlreadyAuthenticated, 'Already authenticated.');
        session = resume(socket, message.d, parts);
        publishSessions();
        if (!session && socket.readyState === socket.OPEN) send(GatewayOpcodes.InvalidSession, false);
        break;
      case GatewayOpcodes.RequestGuildMembers:
        if (!hasSession()) return socket.close(GatewayCloseCodes.NotAuthenticated, 'Not authenticated.');
        if (session) sendMembers(session, message.d, parts);
        break;
      case GatewayOpcodes.PresenceUpdate:
      case GatewayOpcodes.VoiceStateUpdate:
        // Accepted and ignored, because this Discord has no presences and no voice.
        if (!hasSession()) return socket.close(GatewayCloseCodes.NotAuthenticated, 'Not authenticated.');
        break;
      default:
        return socket.close(GatewayCloseCodes.UnknownOpcode, 'Unknown opcode.');
    }
    parts.watch.notify();
  });
  if (query.v !== undefined && query.v !== '10')
    socket.close(GatewayCloseCodes.InvalidAPIVersion, 'Invalid API version.');
  else send(GatewayOpcodes.Hello, { heartbeat_interval: HEARTBEAT_MS, _trace: [] });
}

interface Payload {
  readonly op: number;
  readonly d: Readonly<Record<string, unknown>>;
}

function parsePayload(text: string): Payload | undefined {
  try {
    const { op, d } = JSON.parse(text) as { op?: unknown; d?: unknown };
    if (typeof op !== 'number') return undefined;
    return { op, d: typeof d === 'object' && d !== null ? (d as Payload['d']) : {} };
  } catch (problem) {
    if (problem instanceof SyntaxError || problem instanceof TypeError) return undefined;
    throw problem;
  }
}

function identify(socket: WebSocket, data: Payload['d'], parts: Parts): Session | undefined {
  const { world, hub, clock, id } = parts;
  const closeWith = (code: number, reason: string) => {
    socket.close(code, reason);
    return undefined;
  };
  if (data.token !== parts.token && data.token !== `Bot ${parts.token}`)
    return closeWith(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.');
  const closeCode = intentsCloseCode(data.intents, parts.privilegedIntents);
  if (closeCode === 4013) return closeWith(closeCode, 'Invalid intent(s).');
  if (closeCode === 4014) return closeWith(closeCode, 'Disallowed intent(s).');
  const [shardIndex, shardCount] = Array.isArray(data.shard) ? (data.shard as unknown[]) : [0, 1];
  if (typeof shardIndex !== 'number' || typeof shardCount !== 'number' || shardIndex < 0 || shardIndex >= shardCount)
    return closeWith(GatewayCloseCodes.InvalidShard, 'Invalid shard.');

  const session = new Session(BigInt(id()).toString(16), Number(data.intents), [shardIndex, shardCount], socket);
  hub.add(session);
  const guilds = [...world.guilds.values()].filter((guild) => guild.installed && session.covers(guild.id));
  session.dispatch('READY', {
    v: 10,
    user: ownUserWire(world),
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: session.id,
    session_type: 'normal',
    resume_gateway_url: parts.gatewayUrl(),
    shard: [shardIndex, shardCount],
    application: { id: world.applicationId, flags: 0 },
    private_channels: [],
    user_settings: {},
    relationships: [],
    presences: [],
    _trace: [],
  });
  if ((session.intents & GatewayIntentBits.Guilds) === 0) return session;
  const withAllMembers = (session.intents & GatewayIntentBits.GuildMembers) !== 0;
  for (const guild of guilds)
    session.dispatch('GUILD_CREATE', guildCreateWire(guild, world, clock.now(), withAllMembers));
  return session;
}

function resume(socket: WebSocket, data: Payload['d'], parts: Parts): Session | undefined {
  if (data.token !== parts.token && data.token !== `Bot ${parts.token}`) {
    socket.close(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.');
    return undefined;
  }
  const session = parts.hub.find(data.session_id);
  const after = Number(data.seq);
  if (!session?.canResumeAfter(after)) return undefined;
  parts.hub.resumes += 1;
  session.resume(socket, after);
  return session;
}
