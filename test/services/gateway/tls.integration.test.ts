import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TlsOptions,
} from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import type { GatewayError } from '../../../src/services/gateway/errors.ts';
import { createGateway } from '../../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../../src/services/gateway/settings.ts';
import { loopbackCertificate } from '../../support/loopback-certificate.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
});

function trustTestCertificate(): void {
  const previousCertificates = getCACertificates('default');
  setDefaultCACertificates([loopbackCertificate.cert]);
  cleanups.push(() => setDefaultCACertificates(previousCertificates));
}

async function startListening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Starts a gateway that uses TLS, and records all request data that it has read. */
async function startTlsGateway(options: TlsOptions, onRequest: () => void = () => undefined) {
  const received: Buffer[] = [];
  const server = createTlsServer({ ...loopbackCertificate, ...options }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received.push(chunk);
      if (bodyOf(received)?.endsWith('}')) onRequest();
    });
  });
  server.on('tlsClientError', () => undefined);
  return { port: await startListening(server), body: () => bodyOf(received) };
}

const bodyOf = (received: readonly Buffer[]): string | undefined =>
  Buffer.concat(received).toString().split('\r\n\r\n')[1];

async function submitFailureAt(port: number): Promise<GatewayError> {
  const settings = { ...defaultSettings, baseUrl: `https://127.0.0.1:${port}`, apiKey: 'sk-of-a-test' };
  const gateway = createGateway(settings, { clock: systemClock }, { submitMs: 300 });
  cleanups.push(() => gateway.close());
  return gateway.imgx.imagine({ prompt: 'a fox' }).then(
    () => expect.unreachable(),
    (error: GatewayError) => error,
  );
}

describe('A submit over TLS', () => {
  it('A submit over TLS is never sent if the certificate is refused', async () => {
    const fixture = await startTlsGateway({});
    expect(await submitFailureAt(fixture.port)).toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      mayHaveTakenEffect: false,
    });
    expect(fixture.body()).toBeUndefined();
  });

  it('A submit over TLS may have taken effect if the gateway requires a client certificate, which TLS 1.3 reports only after the request was sent', async () => {
    trustTestCertificate();
    const fixture = await startTlsGateway({ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' });
    expect(await submitFailureAt(fixture.port)).toMatchObject({ kind: 'unreachable', mayHaveTakenEffect: true });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'A submit over TLS may have taken effect if the %s connection breaks after the gateway has read the request',
    async (version) => {
      trustTestCertificate();
      let clientSocket: Socket | undefined;
      const fixture = await startTlsGateway({ minVersion: version, maxVersion: version }, () =>
        clientSocket?.write('no record at all'),
      );
      const relay = createServer((socket) => {
        clientSocket = socket;
        const gatewaySocket = connect(fixture.port, '127.0.0.1');
        for (const each of [socket, gatewaySocket]) each.on('error', () => undefined);
        cleanups.push(() => socket.destroy());
        socket.pipe(gatewaySocket).pipe(socket);
      });
      expect(await submitFailureAt(await startListening(relay))).toMatchObject({
        kind: 'unreachable',
        mayHaveTakenEffect: true,
      });
      expect(fixture.body()).toBe('{"prompt":"a fox"}');
    },
  );

  it('A submit over TLS may have taken effect if a server responds without TLS, because its bytes may arrive at any time', async () => {
    const plainServer = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    expect(await submitFailureAt(await startListening(plainServer))).toMatchObject({
      kind: 'unreachable',
      mayHaveTakenEffect: true,
    });
  });
});
