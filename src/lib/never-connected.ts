const CONNECTING_SYSCALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** The error code alone is not enough: EHOSTUNREACH can also occur while writing, when the request may have arrived. */
export function hasNeverConnected(error: unknown): boolean {
  // The error contains one error for each address that was tried.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(hasNeverConnected);
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && CONNECTING_SYSCALLS.has(error.syscall)) return true;
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}
