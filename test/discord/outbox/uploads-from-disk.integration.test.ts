import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Routes } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf } from '../../../src/discord/message-body.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import type { FilePlan } from '../../../src/discord/plan.ts';

/** Starts a server that fails the first upload and records the second one. */
async function startServer() {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    bodies.push(Buffer.concat(pieces));
    const isFirst = bodies.length === 1;
    response.writeHead(isFirst ? 500 : 200, { 'content-type': 'application/json' }).end('{"id":"1","channel_id":"2"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, bodies };
}

it('A file on disk is sent together with one in memory, and again after an error from Discord', async () => {
  const { apiUrl, bodies } = await startServer();
  const folder = mkdtempSync(join(tmpdir(), 'atelier-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'video');
  const video = Buffer.alloc(3_000_000, 'waves');
  writeFileSync(path, video);
  const files = [
    { name: 'video.mp4', path, size: video.length, mime: 'video/mp4', alt: 'Waves' },
    { name: 'words.txt', bytes: Buffer.from('some words') },
  ];
  const { tokenRest, close } = createDiscordClients(apiUrl);
  onTestFinished(() => close());
  await tokenRest.patch(Routes.webhookMessage('1', 'token'), { ...bodyOf({ content: 'Done.', files }), auth: false });
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body.includes(video)).toBe(true);
    const text = body.toString('latin1').replaceAll('waves', '');
    for (const part of ['name="files[0]"; filename="video.mp4"', 'name="files[1]"; filename="words.txt"', 'some words'])
      expect(text).toContain(part);
    expect(text).toContain('"content":"Done."');
    expect(text).toContain('{"id":0,"filename":"video.mp4","description":"Waves"}');
    expect(text).toContain('video/mp4');
  }
});

it('At most four files on disk are uploaded at the same time, and the others follow', async () => {
  const pendingResponses: (() => void)[] = [];
  let maxPending = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      pendingResponses.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'));
      maxPending = Math.max(maxPending, pendingResponses.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = mkdtempSync(join(tmpdir(), 'atelier-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'video');
  writeFileSync(path, 'waves');
  const { tokenRest } = createDiscordClients(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  const patch = (token: number, files: FilePlan[]) =>
    tokenRest.patch(Routes.webhookMessage('1', `token-${token}`), { ...bodyOf({ content: '', files }), auth: false });
  const fileOnDisk: FilePlan = { name: 'video.mp4', path, size: 5, mime: 'video/mp4' };
  const diskUploads = Array.from({ length: 20 }, (_, token) => patch(token, [fileOnDisk]));
  await expect.poll(() => pendingResponses).toHaveLength(4);
  // Uploads from memory do not wait for uploads from disk.
  const memoryUpload = patch(20, [{ name: 'words.txt', bytes: Buffer.from('some words') }]);
  await expect.poll(() => pendingResponses).toHaveLength(5);
  for (let responseCount = 0; responseCount < 21; responseCount++) {
    await expect.poll(() => pendingResponses).not.toHaveLength(0);
    pendingResponses.shift()?.();
  }
  await Promise.all([...diskUploads, memoryUpload]);
  expect(maxPending).toBe(5);
});
