const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** An error code is not enough: EHOSTUNREACH also comes from writing, when the request may have arrived. */
export function hasNeverConnected(error: unknown): boolean {
  // Every address was tried.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(hasNeverConnected);
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && BEFORE_CONNECTION.has(error.syscall)) return true;
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}
