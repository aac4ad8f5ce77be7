import { GatewayCloseCodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Parts } from '../parts.ts';
import { isValidToken, type Outcome, refuse } from './outcome.ts';

/** Continues a session on any connection (documentation, events/gateway, "Resuming"). */
export function resume(socket: WebSocket, data: Readonly<Record<string, unknown>>, parts: Parts): Outcome {
  const { hub } = parts;
  if (!isValidToken(data.token, parts)) return refuse(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.');
  const session = hub.find(data.session_id);
  if (!session) return 'invalid session';
  const lastSequence = Number(data.seq);
  if (!session.hasSent(lastSequence)) {
    hub.end(session);
    return refuse(GatewayCloseCodes.InvalidSeq, 'Invalid seq.');
  }
  if (!session.canReplayAfter(lastSequence)) {
    hub.end(session);
    return 'invalid session';
  }
  hub.counter.add(session.shard, 'resumes');
  session.resume(socket, lastSequence);
  return session;
}
