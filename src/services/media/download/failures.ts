import { MediaError, type MediaErrorKind } from '../errors.ts';

const TELLING = new Map<string, readonly [MediaErrorKind, string]>([
  ['ECONNREFUSED', ['unreachable', 'refused the connection']],
  ['ENOTFOUND', ['unreachable', 'was not found: its name leads nowhere']],
  ['EAI_AGAIN', ['unreachable', 'was not found: its name could not be looked up']],
  ['ECONNRESET', ['unreachable', 'cut the connection']],
  ['UND_ERR_SOCKET', ['unreachable', 'cut the connection']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['unreachable', 'cut the connection']],
  ['ETIMEDOUT', ['timeout', 'could not be reached in time']],
  ['UND_ERR_CONNECT_TIMEOUT', ['timeout', 'could not be reached in time']],
  ['UND_ERR_HEADERS_TIMEOUT', ['timeout', 'did not answer in time']],
  ['UND_ERR_BODY_TIMEOUT', ['timeout', 'stopped in the middle of the file']],
]);

/** A file host that gave no whole answer. */
export function failed(cause: unknown, host: string): MediaError {
  if (cause instanceof MediaError) return cause;
  const code = codeOf(cause);
  const [kind, words] = TELLING.get(code) ?? ['unreachable', 'could not be spoken to'];
  return new MediaError(kind, `The file host ${host} ${words}.`, { code, cause });
}

/** A file host that answered with something other than the file. */
export function refused(status: number, host: string): MediaError {
  if (status === 403 || status === 404 || status === 410) {
    return new MediaError('expired', `The file is no longer at ${host}.`, { status });
  }
  return new MediaError('unreachable', `The file host ${host} answered with HTTP ${status} instead of the file.`, {
    status,
  });
}

function codeOf(cause: unknown): string {
  // Several addresses tried and all refused arrive as one AggregateError.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = first instanceof Error && 'code' in first ? first.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
