import type { EmbeddedGateway } from '../gateway/gateway.ts';
import type { Session } from '../gateway/realtime/session.ts';
import type { LiveSession, SessionOrder, TalkBench } from './protocol.ts';
import { talkTroubles } from './talk-troubles.ts';

/** The live conversations of the embedded gateway: which there are, and what can go wrong with them. */
export const talkBench = ({ realtime, settings }: EmbeddedGateway): TalkBench => ({
  sessions: realtime.sessions.map(sessionOf).reverse(),
  dialect: settings.quirks.realtimeDialect,
  troubles: talkTroubles,
});

/** For people's eyes: no key, no sound. */
export function sessionOf({ id, model, dialect, openedAt, isOver, turns, conversation }: Session): LiveSession {
  return {
    ...{ id, model: model.id, dialect, openedAt, turns: turns.begun },
    state: isOver ? 'silent' : turns.isAnswering ? 'answering' : 'listening',
    ...(turns.isAnswering && conversation.lastSaid !== undefined && { said: conversation.lastSaid }),
  };
}

const DONE: Readonly<Record<SessionOrder, string>> = {
  cut: 'The connection is cut without a word. The bot opens another by itself, with everything that was said so far.',
  expire:
    'The session is told that its hour is over, and closed. The bot opens another by itself, with everything that was said so far.',
  hang: 'Nothing more comes over the connection, and nothing is read. The bot finds out as it waits for a sign of life, and opens another.',
};

export function orderSession(how: SessionOrder, id: string, { realtime }: EmbeddedGateway): string {
  const session = realtime.sessions.find((one) => one.id === id);
  if (!session) throw new Error('That live session is over already.');
  if (session.isOver && how !== 'cut') throw new Error('That live session is silent already: it can only be cut.');
  session[how]();
  return DONE[how];
}
