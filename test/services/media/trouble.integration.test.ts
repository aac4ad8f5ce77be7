import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MediaError } from '../../../src/services/media/errors.ts';
import type { MediaLimits } from '../../../src/services/media/files/settings.ts';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { failureOf as failureFrom } from './fixture.ts';

const responseHead = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

describe('A faulty file host', () => {
  let openedMedia: Media[];
  let servers: Server[];
  let sockets: Set<Socket>;
  let clock: ManualClock;

  beforeEach(() => {
    openedMedia = [];
    servers = [];
    sockets = new Set();
    clock = new ManualClock();
  });
  afterEach(async () => {
    for (const media of openedMedia) await media.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
  });

  /** Starts a gateway that sends arbitrary bytes once it has received a request. */
  async function rawGateway(respond: (socket: Socket) => void, limits: Partial<MediaLimits> = {}) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('data', () => respond(socket));
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gatewayOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const media = openMedia(
      { gatewayOrigin, apiKey: 'sk-of-the-gateway', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess, clock },
      limits,
    );
    openedMedia.push(media);
    return { media, address: `${gatewayOrigin}/file?signature=secret`, server };
  }

  const failureOf = async (work: Promise<unknown>): Promise<MediaError> => {
    const error = await failureFrom(work);
    expect(error.message).not.toMatch(/signature|secret|sk-/);
    return error;
  };

  /** Sends until the client has disconnected, and counts the bytes. */
  const sendEndlessly = (socket: Socket, sent = { bytes: 0 }, chunk = Buffer.alloc(64 * 1024)) => {
    const writeMore = (): void => {
      if (socket.destroyed) return;
      sent.bytes += chunk.length;
      socket.write(chunk, () => setImmediate(writeMore));
    };
    writeMore();
    return sent;
  };

  const waitUntilClosed = async (): Promise<void> => {
    for (const socket of sockets) if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  };

  it.each([
    ['before it has sent anything', (socket: Socket) => socket.resetAndDestroy()],
    ['in the middle of its headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    [
      'in the middle of a file of known size',
      (socket: Socket) => socket.end(`${responseHead('content-length: 100')}half`),
    ],
    [
      'in the middle of a chunk',
      (socket: Socket) => socket.end(`${responseHead('transfer-encoding: chunked')}ff\r\nhalf`),
    ],
    [
      'between two chunks',
      (socket: Socket) => socket.end(`${responseHead('transfer-encoding: chunked')}4\r\nhalf\r\n`),
    ],
  ])('A file host that drops the connection %s is unreachable', async (_when, respond) => {
    const { media, address } = await rawGateway(respond);
    expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'unreachable' });
  });

  it('A file host that does not speak HTTP is unreachable', async () => {
    const { media, address } = await rawGateway((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'unreachable' });
  });

  it('A file host that does not exist is unreachable', async () => {
    const { media, address, server } = await rawGateway(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    servers = [];
    expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
  });

  it('A fetch from a file host that never begins to respond is abandoned', async () => {
    const { media, address } = await rawGateway(() => undefined, { headersMs: 50 });
    expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'timeout' });
  });

  it('A fetch from a file host that stops sending in the middle of a file is abandoned', async () => {
    const { media, address } = await rawGateway(
      (socket) => socket.write(`${responseHead('content-length: 100')}half`),
      {
        chunkMs: 50,
      },
    );
    expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'timeout' });
  });

  it('A fetch from a file host that sends endlessly, but slowly, is abandoned at the total time limit', async () => {
    let markStarted = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      markStarted = resolve;
    });
    const { media, address } = await rawGateway((socket) => {
      socket.write(responseHead('transfer-encoding: chunked'));
      sendEndlessly(socket, undefined, Buffer.from('1\r\n.\r\n'));
      markStarted();
    });
    const failure = failureOf(media.fetch({ address }));
    await started;
    clock.advance(5 * 60_000);
    expect(await failure).toMatchObject({ kind: 'timeout' });
  });

  it('A file host that announces more than the limit is disconnected early', async () => {
    const sent = { bytes: 0 };
    const { media, address } = await rawGateway((socket) => {
      socket.write(responseHead('content-length: 1000000000'));
      sendEndlessly(socket, sent);
    });
    expect(await failureOf(media.fetch({ address }, { max: 1_000_000 }))).toMatchObject({ kind: 'too-large' });
    await waitUntilClosed();
    expect(sent.bytes).toBeLessThan(100_000_000);
  });

  it('If a file host sends more than it announced, only the announced length is read', async () => {
    const { media, address } = await rawGateway((socket) => {
      socket.write(responseHead('content-length: 3'));
      sendEndlessly(socket);
    });
    expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'not-media' });
  });

  it('A file host that never stops sending is disconnected at the limit', { tags: ['breadth'] }, async () => {
    const sent = { bytes: 0 };
    const { media, address } = await rawGateway((socket) => {
      socket.write(responseHead('connection: close'));
      sendEndlessly(socket, sent);
    });
    expect(await failureOf(media.fetch({ address }, { max: 3_000_000 }))).toMatchObject({ kind: 'too-large' });
    await waitUntilClosed();
    expect(sent.bytes).toBeGreaterThan(3_000_000);
  });

  it.each(['content-length: -1', 'content-length: many', 'content-length: 5\r\ncontent-length: 6'])(
    'A file host that sends the header "%s" is unreachable',
    async (line) => {
      const { media, address } = await rawGateway((socket) => socket.end(`${responseHead(line)}hello`));
      expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'unreachable' });
    },
  );

  it('A file host is disconnected immediately when the caller aborts', { tags: ['breadth'] }, async () => {
    const { media, address } = await rawGateway((socket) => {
      socket.write(`${responseHead('content-length: 100')}half`);
    });
    const controller = new AbortController();
    const failure = failureOf(media.fetch({ address }, { signal: controller.signal }));
    while (sockets.size === 0) await new Promise(setImmediate);
    controller.abort();
    expect(await failure).toMatchObject({ kind: 'unreachable', code: 'aborted' });
    await waitUntilClosed();
  });

  it('A file host is not contacted for a fetch that was already aborted', async () => {
    const { media, address } = await rawGateway(() => undefined);
    const failure = failureOf(media.fetch({ address }, { signal: AbortSignal.abort() }));
    expect(await failure).toMatchObject({ kind: 'unreachable', code: 'aborted' });
    expect(sockets.size).toBe(0);
  });

  it('A pending fetch from a file host does not delay closing', async () => {
    const { media, address } = await rawGateway(() => undefined);
    const failure = failureOf(media.fetch({ address }));
    while (sockets.size === 0) await new Promise(setImmediate);
    await media.close();
    expect(await failure).toMatchObject({ kind: 'unreachable', code: 'closed' });
  });
});
