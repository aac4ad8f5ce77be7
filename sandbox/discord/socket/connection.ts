import { GatewayCloseCodes, GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Parts } from '../parts.ts';
import { identify } from './identify.ts';
import { sendMembers } from './members.ts';
import type { Outcome } from './outcome.ts';
import { resume } from './resume.ts';
import { Session } from './session.ts';

const HEARTBEAT_INTERVAL_MS = 41_250;
const MINUTE_MS = 60_000;
/** With these close codes, the application says that it will not resume ("Initiating a Disconnect"). */
const FINAL_CLOSE_CODES: readonly number[] = [1000, 1001];

interface ConnectionRequest {
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Whether the application connected to `resume_gateway_url`. */
  readonly isResumeUrl: boolean;
}

/** Serves one gateway connection (documentation, events/gateway, "Connection Lifecycle"). */
export function serveConnection(socket: WebSocket, { query, isResumeUrl }: ConnectionRequest, parts: Parts): void {
  const { hub, clock, limits } = parts;
  let session: Session | undefined;
  let recentSends: number[] = [];
  const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d, s: null, t: null }));
  // After an invalid session, a socket may resume or identify again.
  const hasSession = () => session?.socket === socket;
  const publishSessions = () => {
    const { connectedCount, identifies, resumes } = hub;
    parts.stream.publish({ kind: 'session', what: { connected: connectedCount, identifies, resumes } });
  };
  const isRateLimited = () => {
    const now = clock.now();
    recentSends = [...recentSends.filter((at) => at > now - MINUTE_MS), now];
    return recentSends.length > limits.gatewaySendsPerMinute;
  };

  const handleOutcome = (outcome: Outcome) => {
    if (outcome instanceof Session) session = outcome;
    publishSessions();
    if (outcome === 'invalid session') return send(GatewayOpcodes.InvalidSession, false);
    if (!(outcome instanceof Session)) socket.close(outcome.code, outcome.reason);
  };

  socket.on('close', (code) => {
    if (session && hasSession()) {
      if (FINAL_CLOSE_CODES.includes(code)) hub.end(session);
      else session.detach(clock.now());
    }
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
        handleOutcome(identify(socket, message.d, parts));
        break;
      case GatewayOpcodes.Resume:
        if (hasSession()) return socket.close(GatewayCloseCodes.AlreadyAuthenticated, 'Already authenticated.');
        handleOutcome(resume(socket, message.d, parts));
        if (session && hasSession() && !isResumeUrl) hub.counter.add(session.shard, 'resumesElsewhere');
        break;
      case GatewayOpcodes.RequestGuildMembers:
        if (!hasSession()) return socket.close(GatewayCloseCodes.NotAuthenticated, 'Not authenticated.');
        if (session) sendMembers(session, message.d, parts);
        break;
      case GatewayOpcodes.PresenceUpdate:
      case GatewayOpcodes.VoiceStateUpdate:
        // Accepted and ignored, because the embedded Discord has no presences and no voice.
        if (!hasSession()) return socket.close(GatewayCloseCodes.NotAuthenticated, 'Not authenticated.');
        break;
      default:
        return socket.close(GatewayCloseCodes.UnknownOpcode, 'Unknown opcode.');
    }
    parts.watch.notify();
  });
  if (query.v !== undefined && query.v !== '10')
    socket.close(GatewayCloseCodes.InvalidAPIVersion, 'Invalid API version.');
  else send(GatewayOpcodes.Hello, { heartbeat_interval: HEARTBEAT_INTERVAL_MS, _trace: [] });
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
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
