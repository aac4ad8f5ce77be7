/** The system calls before a connection exists: looking up the name, and connecting. */
const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Whether there was no connection to send a request on, so that the other side cannot have received it. The code of an error alone does not
 * tell: EHOSTUNREACH and others also come from reading and writing, when the whole request may have arrived.
 */
export function neverConnected(error: unknown): boolean {
  // Several addresses were tried, and each failed.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverConnected);
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && BEFORE_CONNECTION.has(error.syscall)) return true;
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}
