import { GatewayError } from '../errors.ts';

type Trouble = 'cut' | 'silent' | 'closed' | 'aborted';

const SENTENCES: Readonly<Record<Trouble, (host: string) => string>> = {
  cut: (host) => `The gateway at ${host} cut the connection.`,
  silent: (host) => `The gateway at ${host} did not answer in time.`,
  closed: (host) => `The gateway at ${host} is no longer spoken to: the conversation was closed.`,
  aborted: () => 'What was said was taken back before the gateway answered.',
};

/** A connection that brought no answer. */
export function lost(trouble: Trouble, host: string, cause?: unknown): GatewayError {
  return new GatewayError(SENTENCES[trouble](host), { kind: 'unreachable', code: trouble, cause });
}

/** The same failure, of something that was or was not said before. */
export function ofSaid(error: GatewayError, mayHaveTakenEffect: boolean): GatewayError {
  const { kind, status, code, type, param, retryAfterMs, cause } = error;
  return new GatewayError(error.message, { kind, status, code, type, param, retryAfterMs, cause, mayHaveTakenEffect });
}
