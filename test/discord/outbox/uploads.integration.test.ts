import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Routes } from 'discord.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDiscordClients, type DiscordClients } from '../../../src/discord/outbox/clients.ts';

const APPLICATION = '100000000000000001';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('File uploads', () => {
  let server: Server;
  let clients: DiscordClients;
  /** The status codes of the next responses; all later responses have status 200. */
  let statuses: number[];
  let receivedForms: FormData[];
  let onReceived: () => void;

  beforeEach(async () => {
    [statuses, receivedForms, onReceived] = [[], [], () => undefined];
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    server = createServer((request, response) => {
      void buffer(request).then(async (bytes) => {
        const contentType = request.headers['content-type'] ?? '';
        if (contentType.startsWith('multipart/'))
          receivedForms.push(await new Response(bytes, { headers: { 'content-type': contentType } }).formData());
        onReceived();
        response.writeHead(statuses.shift() ?? 200, JSON_TYPE).end('{"id":"1"}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    clients = createDiscordClients(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  });

  afterEach(async () => {
    vi.useRealTimers();
    await clients.close();
    server.closeAllConnections();
    server.close();
  });

  const upload = (data: Buffer, name = 'fox.png') =>
    clients.tokenRest.patch(Routes.webhookMessage(APPLICATION, 'token', '@original'), {
      body: { content: 'a fox' },
      files: [{ name, data }],
      auth: false,
    });

  test('A file is uploaded byte for byte, with its name and type and the text of its message', async () => {
    await upload(Buffer.from([0, 13, 10, 45, 45, 255]), 'a "fox".png');
    const [form] = receivedForms;
    const file = fileIn(form);
    expect(await bytesOf(file)).toEqual(Buffer.from([0, 13, 10, 45, 45, 255]));
    expect(file).toMatchObject({ name: 'a "fox".png', type: 'image/png' });
    expect(JSON.parse(String(form?.get('payload_json')))).toEqual({ content: 'a fox' });
  });

  test('An upload sends the original buffer without copying it, even in a retry', async () => {
    const data = Buffer.alloc(100_000, 1);
    statuses = [500];
    onReceived = () => void data.fill(2);
    await upload(data);
    expect(receivedForms).toHaveLength(2);
    const second = await bytesOf(fileIn(receivedForms[1]));
    expect(second.equals(Buffer.alloc(100_000, 2))).toBe(true);
  });

  test('The queue of an unused token is deleted after a minute', async () => {
    for (let token = 0; token < 20; token++)
      await clients.tokenRest.patch(Routes.webhookMessage(APPLICATION, `token-${token}`), { body: {}, auth: false });
    expect(clients.tokenRest.handlers.size).toBeGreaterThanOrEqual(20);
    vi.advanceTimersByTime(60_000);
    expect(clients.tokenRest.handlers.size).toBe(0);
  });
});

function fileIn(form: FormData | undefined): File {
  const file = form?.get('files[0]');
  if (!(file instanceof File)) throw new Error('No file arrived.');
  return file;
}

const bytesOf = async (file: File): Promise<Buffer> => Buffer.from(await file.arrayBuffer());
