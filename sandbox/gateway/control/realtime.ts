import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Parts } from '../parts.ts';
import type { Session } from '../realtime/session.ts';
import { sendError } from './guard.ts';
import { parseAction } from './parse-action.ts';

const actionSchema = z.strictObject({ do: z.enum(['cut', 'hang', 'expire']), session: z.string().optional() });

/** Routes that list live sessions and end them. */
export function realtimeControlRoutes(control: FastifyInstance, { realtime }: Parts): void {
  const list = () => ({ opened: realtime.openedCount, sessions: realtime.sessions.map(sessionSummary) });
  control.get('/realtime', list);
  control.post('/realtime', (request, reply) => {
    const { do: action, session: id } = parseAction(actionSchema, request);
    const targets = realtime.sessions.filter((session) => id === undefined || session.id === id);
    if (id !== undefined && targets.length === 0) return sendError(reply, 404, `There is no live session ${id}.`);
    for (const session of targets) session[action]();
    return { did: action, sessions: targets.map((session) => session.id) };
  });
}

/** A session for display, without its key and audio. */
const sessionSummary = (session: Session) => ({
  id: session.id,
  model: session.model.id,
  dialect: session.dialect,
  isAnswering: session.turns.isAnswering,
  session: session.body,
  items: session.items,
});
