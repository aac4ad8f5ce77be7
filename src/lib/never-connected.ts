const CONNECTING_SYSCALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** The error code alone is not enough: EHOSTUNREACH can also occur while writing, when the request may have arrived. */
export function hasNeverConnected(error: unknown): boolean {
  // The error contains one error for each address that was tried.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(hasNeverConnected);
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && CONNECTING_SYSCALLS.has(error.syscall)) return true;
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** The code of a failed request, or `unknown`. If all of several addresses fail, the errors arrive as one AggregateError. */
export function connectionErrorCode(cause: unknown): string {
  const firstError = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = firstError instanceof Error && 'code' in firstError ? firstError.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
