import { createHmac } from 'node:crypto';
import type { Entry } from './entry.ts';

/** Whose entries become nobody's, and what the new ids are made with. */
export interface Forgetful {
  memberId: string;
  until: number;
  secret: string;
}

const LETTERS = 24;

/**
 * What was used, and when, by nobody and nowhere. The same entry always becomes the same one, so that doing it again after a crash doubles
 * nothing; without the secret nobody finds the way back.
 */
export function nameless({ id, at, kind, model, facts }: Entry, secret: string): Entry {
  const other = createHmac('sha256', secret).update(id).digest('hex').slice(0, LETTERS);
  return { id: other, at, kind, ...(model !== undefined && { model }), facts };
}
