import { randomBytes } from 'node:crypto';

/** Short enough to be read out, so that a line of the log can be found again. */
export const reference = (): string => randomBytes(4).toString('hex');
