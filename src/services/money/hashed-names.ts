import { createHmac } from 'node:crypto';

/** Replaces a name in rows that must not contain it. */
export const hashedName = (name: string, secret: string): string =>
  createHmac('sha256', secret).update(name).digest('hex').slice(0, 24);
