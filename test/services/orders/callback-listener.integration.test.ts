import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { type CallbackMeaning, openListener } from '../../../src/services/orders/callback-listener.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';

/** A listener for one live URL, `/hooks/live`. */
async function openTestListener(clock = systemClock) {
  const accepted: CallbackMeaning[] = [];
  const outcomes: string[] = [];
  const callbacks = {
    find: (target: string) => (target.endsWith('/live') ? 'a-task' : undefined),
    process: (_: string, meaning: CallbackMeaning) => {
      accepted.push(meaning);
      return 'hint' as const;
    },
    report: (outcome: string) => void outcomes.push(outcome),
  };
  const { port, close } = await openListener({ port: 0, host: '127.0.0.1' }, { callbacks, log: plainLog(), clock });
  onTestFinished(close);
  const post = async (path: string, body?: string | Buffer, method = 'POST') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body !== undefined && { body }) });
    return { status: response.status, text: await response.text() };
  };
  return { port, accepted, outcomes, post };
}

async function socketTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // The listener may reset the connection.
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function firstBytes(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

describe('The port for callbacks', () => {
  it('A callback is accepted with status 202, whatever its body contains', async () => {
    const { post, accepted } = await openTestListener();
    expect(await post('/hooks/live', '{"status":"SUCCESS"}')).toEqual({ status: 202, text: '' });
    expect(await post('/hooks/live', '{"status":"IN_PROGRESS"}')).toEqual({ status: 202, text: '' });
    expect(await post('/live', '\0\xff')).toEqual({ status: 202, text: '' });
    expect(await post('/live')).toEqual({ status: 202, text: '' });
    expect(accepted).toEqual(['end', 'progress', 'unclear', 'unclear']);
  });

  it('Only a live URL returns a challenge', async () => {
    const { post } = await openTestListener();
    const body = JSON.stringify({ challenge: 'a "quoted" value' });
    expect(await post('/hooks/live', body)).toEqual({ status: 200, text: body });
    expect(await post('/hooks/other', body)).toEqual({ status: 202, text: '' });
  });

  it('A request to an unknown URL is answered like one to a live URL, and has no effect', async () => {
    const { post, accepted, outcomes } = await openTestListener();
    for (const path of ['/', '/hooks/other', `/${'x'.repeat(4_000)}`, '/%00', '/..', '/?live'])
      expect(await post(path, '{"status":"SUCCESS"}'), path).toEqual({ status: 202, text: '' });
    expect(accepted).toEqual([]);
    expect(new Set(outcomes)).toEqual(new Set(['unknown']));
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])(
    'A %s request is refused, because only POST is allowed',
    async (method) => {
      const { post, accepted } = await openTestListener();
      expect(await post('/hooks/live', undefined, method)).toMatchObject({ status: 405 });
      expect(accepted).toEqual([]);
    },
  );

  it('A source that requests unknown URLs is limited, and its requests to live URLs are still accepted', async () => {
    const { post, accepted, outcomes } = await openTestListener(new ManualClock());
    const responses = await Promise.all(Array.from({ length: 60 }, () => post('/other')));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(50);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(10);
    expect((await post('/live', '{"status":"SUCCESS"}')).status).toBe(202);
    expect(accepted).toEqual(['end']);
  });

  it('A flood of callbacks to a live URL is answered, but only a part of it is read', async () => {
    const { post, accepted } = await openTestListener(new ManualClock());
    const responses = await Promise.all(Array.from({ length: 60 }, () => post('/live', '{"status":"SUCCESS"}')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(accepted).toHaveLength(20);
  });

  it('A body that is too long is not read, and its connection is closed', async () => {
    const { port, accepted } = await openTestListener();
    for (const lengthHeader of [`Content-Length: ${2 ** 30}`, 'Transfer-Encoding: chunked']) {
      const socket = await socketTo(port);
      const data = 'x'.repeat(32 * 1024);
      const chunk = lengthHeader.startsWith('T') ? `${data.length.toString(16)}\r\n${data}\r\n` : data;
      socket.write(`POST /live HTTP/1.1\r\nHost: a\r\n${lengthHeader}\r\n\r\n`);
      const responseStart = firstBytes(socket);
      const socketClose = once(socket, 'close');
      for (let count = 0; count < 3; count += 1) socket.write(chunk);
      expect(await responseStart).toMatch(/^HTTP\/1.1 202 /);
      await socketClose;
    }
    expect(accepted).toEqual(['unclear', 'unclear']);
  });

  it('The listener does not wait for a body that never arrives', async () => {
    const clock = new ManualClock();
    const { port, accepted } = await openTestListener(clock);
    const socket = await socketTo(port);
    const responseStart = firstBytes(socket);
    socket.write('POST /live HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{"sta');
    await expect
      .poll(() => {
        clock.advance(1_000);
        return accepted;
      })
      .toEqual(['unclear']);
    expect(await responseStart).toMatch(/^HTTP\/1.1 202 /);
  });

  it('A truncated body is treated like one that cannot be understood', async () => {
    const { port, accepted } = await openTestListener();
    const socket = await socketTo(port);
    socket.write('POST /live HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{"sta', () => socket.destroy());
    await expect.poll(() => accepted).toEqual(['unclear']);
  });

  it.each([
    ['bytes that are not HTTP', '\x16\x03\x01\x02\0\x01\0'],
    ['a long header', `POST /live HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'POST /live HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'both a length and chunked encoding',
      'POST /live HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nab',
    ],
  ])('A request that is not valid HTTP is dropped: %s', async (_, text) => {
    const { port, post, accepted } = await openTestListener();
    const socket = await socketTo(port);
    const socketClose = once(socket, 'close');
    socket.write(Buffer.from(text, 'latin1'));
    socket.resume();
    await socketClose;
    expect(accepted.filter((meaning) => meaning !== 'unclear')).toEqual([]);
    expect((await post('/live', '{"status":"SUCCESS"}')).status).toBe(202);
  });

  it('A single source can use only half of the connections', async () => {
    const { port } = await openTestListener();
    const sockets = await Promise.all(Array.from({ length: 140 }, () => socketTo(port)));
    await expect.poll(() => sockets.filter((socket) => socket.closed || socket.destroyed).length).toBe(12);
  });
});
