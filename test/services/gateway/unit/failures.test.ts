import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { unreachableError } from '../../../../src/services/gateway/errors.ts';

/** An error like those that Node creates for failed system calls. */
const systemError = (syscall: string, code: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { errno: -1, code, syscall });

const mayHaveTakenEffect = (cause: unknown): boolean => unreachableError(cause, true).mayHaveTakenEffect;

describe('A submit during a network failure', () => {
  it.each([
    ...['EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'ETIMEDOUT', 'EADDRNOTAVAIL'].map((code) => ['read', code]),
    ...['EPROTO', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET'].map((code) => ['write', code]),
    ['shutdown', 'ENOTCONN'],
  ])('A submit may have taken effect when the network failed during %s: %s', (syscall, code) => {
    expect(mayHaveTakenEffect(systemError(syscall, code))).toBe(true);
  });

  it.each([
    ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'EACCES'].map((code) => [
      'connect',
      code,
    ]),
    ...['ENOTFOUND', 'EAI_AGAIN'].map((code) => ['getaddrinfo', code]),
  ])('A submit was never sent when %s failed: %s', (syscall, code) => {
    expect(mayHaveTakenEffect(systemError(syscall, code))).toBe(false);
  });

  it('A submit was never sent if connecting to every address of the gateway failed', () => {
    const connectErrors = [systemError('connect', 'ECONNREFUSED'), systemError('connect', 'ENETUNREACH')];
    expect(mayHaveTakenEffect(new AggregateError(connectErrors))).toBe(false);
    expect(mayHaveTakenEffect(new AggregateError([...connectErrors, systemError('write', 'EPROTO')]))).toBe(true);
    expect(mayHaveTakenEffect(new AggregateError([]))).toBe(true);
  });

  it.each([
    'EPROTO',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
    'ERR_TLS_INVALID_STATE',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ])('A submit may have taken effect if %s does not reveal what failed', (code) => {
    expect(mayHaveTakenEffect(Object.assign(new Error('TLS failed'), { code }))).toBe(true);
  });

  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'])(
    'A submit is never sent to a gateway whose certificate was refused: %s',
    (code) => {
      expect(mayHaveTakenEffect(Object.assign(new Error('refused'), { code }))).toBe(false);
    },
  );

  it('A submit was never sent if the client refused it or could not connect in time, and may have taken effect if the connection was lost later', () => {
    expect(mayHaveTakenEffect(new errors.InvalidArgumentError('no'))).toBe(false);
    expect(mayHaveTakenEffect(new errors.ClientClosedError())).toBe(false);
    expect(mayHaveTakenEffect(new errors.ConnectTimeoutError())).toBe(false);
    expect(mayHaveTakenEffect(new errors.ClientDestroyedError())).toBe(true);
    expect(mayHaveTakenEffect(new errors.HeadersTimeoutError())).toBe(true);
    expect(mayHaveTakenEffect(new errors.SocketError('other side closed'))).toBe(true);
    expect(mayHaveTakenEffect('nothing known')).toBe(true);
  });
});
