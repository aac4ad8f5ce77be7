import type { Parts } from '../parts.ts';
import type { Session } from './session.ts';

interface Close {
  readonly code: number;
  readonly reason: string;
}

/** The result of an IDENTIFY or a RESUME: a session, an invalid session, or a closed connection. */
export type Outcome = Session | 'invalid session' | Close;

export const refuse = (code: number, reason: string): Close => ({ code, reason });

export const isValidToken = (value: unknown, { token, account }: Parts): boolean =>
  !account.isTokenReset && (value === token || value === `Bot ${token}`);
