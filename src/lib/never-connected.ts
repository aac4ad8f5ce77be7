/** The system calls before a connection exists. */
const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Whether no connection existed, so that the other side cannot have received the request. The code of an error is not
 * enough: EHOSTUNREACH and others also come from reading and writing, when the whole request may have arrived.
 */
export function neverConnected(error: unknown): boolean {
  // Every address was tried.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverConnected);
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && BEFORE_CONNECTION.has(error.syscall)) return true;
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}
