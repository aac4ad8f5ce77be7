import type { EmbeddedGateway } from '../gateway/gateway.ts';
import type { Session } from '../gateway/realtime/session.ts';
import type { LiveSession, SessionAction, TalkWorkbench } from './protocol.ts';
import { talkTroubles } from './talk-troubles.ts';

/** The live sessions of the embedded gateway, and the faults they support. */
export const talkWorkbench = ({ realtime, settings }: EmbeddedGateway): TalkWorkbench => ({
  sessions: realtime.sessions.map(sessionOf).reverse(),
  dialect: settings.quirks.realtimeDialect,
  troubles: talkTroubles,
});

/** Converts a session for display, without its key and its audio. */
export function sessionOf({ id, model, dialect, openedAt, isOver, turns, conversation }: Session): LiveSession {
  return {
    id,
    model: model.id,
    dialect,
    openedAt,
    turns: turns.startedCount,
    state: isOver ? 'silent' : turns.isAnswering ? 'answering' : 'listening',
    ...(turns.isAnswering && conversation.lastUtterance !== undefined && { said: conversation.lastUtterance }),
  };
}

const RESULT_DESCRIPTIONS: Readonly<Record<SessionAction, string>> = {
  cut: 'The connection was dropped without notice. The bot opens a new session and restores the conversation.',
  expire:
    'The session reached its time limit and was closed. The bot opens a new session and restores the conversation.',
  hang: 'The session no longer sends or reads anything. The bot detects this when it times out, and opens a new session.',
};

export function endSession(action: SessionAction, id: string, { realtime }: EmbeddedGateway): string {
  const session = realtime.sessions.find((one) => one.id === id);
  if (!session) throw new Error('That live session has already ended.');
  if (session.isOver && action !== 'cut')
    throw new Error('That live session is already unresponsive. You can only cut it.');
  session[action]();
  return RESULT_DESCRIPTIONS[action];
}
