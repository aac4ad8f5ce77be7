import type { PlainLog } from '../../src/lib/log.ts';

/** A log that a test can listen to. */
export const plainLog = (listeners: Partial<PlainLog> = {}): PlainLog => ({
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  ...listeners,
});
