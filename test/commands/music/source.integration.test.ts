import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { musicSource } from '../../../src/commands/music/kinds.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createGateway } from '../../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../../src/services/gateway/settings.ts';

/** Starts a gateway that returns the given results for batches and records its polls. */
async function startBatchGateway(respondTo: (ids: readonly string[], response: ServerResponse) => void) {
  const polledBatches: string[][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const piece of request) chunks.push(piece);
    const { ids } = JSON.parse(Buffer.concat(chunks).toString()) as { ids: string[] };
    polledBatches.push(ids);
    respondTo(ids, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as { port: number };
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const settings = { ...defaultSettings, baseUrl: `http://127.0.0.1:${port}`, apiKey: 'sk-sandbox' };
  const client = createGateway(settings, { log, clock: systemClock });
  onTestFinished(() => client.close());
  const { batch } = musicSource(client.music);
  if (!batch) throw new Error('Music is not polled in batches.');
  return { lists: polledBatches, many: batch };
}

const respond = (ids: readonly string[], response: ServerResponse) =>
  response.end(JSON.stringify({ data: ids.map((id) => ({ task_id: id, status: 'IN_PROGRESS' })) }));
const refuse = (response: ServerResponse, status: number) =>
  response.writeHead(status).end(JSON.stringify({ error: { message: 'no', code: 'invalid_request' } }));
const ids = Array.from({ length: 300 }, (_, index) => `id-${index}`);

describe('Polling many songs', () => {
  it.each([400, 413])('Songs are polled in smaller batches after a large one was refused with %s', async (status) => {
    const { lists: polledBatches, many } = await startBatchGateway((batch, response) =>
      batch.length > 80 ? refuse(response, status) : respond(batch, response),
    );
    expect(many.max).toBe(300);
    expect([...(await many.pollMany(ids)).keys()].toSorted()).toEqual(ids.toSorted());
    expect(many.max).toBe(75);
    const countBefore = polledBatches.length;
    await many.pollMany(ids.slice(0, many.max));
    expect(polledBatches).toHaveLength(countBefore + 1);
  });

  it('A song that makes every batch fail is left out, and the batches keep their size', async () => {
    const { lists: polledBatches, many } = await startBatchGateway((batch, response) =>
      batch.includes('id-77') ? refuse(response, 400) : respond(batch, response),
    );
    expect((await many.pollMany(ids)).size).toBe(299);
    expect(many.max).toBe(300);
    const countBefore = polledBatches.length;
    const secondPoll = await many.pollMany(ids);
    expect(polledBatches).toHaveLength(countBefore + 1);
    expect(secondPoll.has('id-77')).toBe(false);
  });

  it('A gateway that refuses every batch gets at most twice as many requests as there are songs, and only once', async () => {
    const { lists: polledBatches, many } = await startBatchGateway((_some, response) => refuse(response, 400));
    expect((await many.pollMany(ids.slice(0, 30))).size).toBe(0);
    expect(polledBatches).toHaveLength(59);
    await many.pollMany(ids.slice(0, 30));
    expect(polledBatches).toHaveLength(59);
  });

  it('Songs are polled in turns if the gateway returns only the first hundred of a batch', async () => {
    const { many } = await startBatchGateway((batch, response) => respond(batch.slice(0, 100), response));
    const polledIds = new Set<string>();
    for (let round = 0; round < 3; round += 1) for (const id of (await many.pollMany(ids)).keys()) polledIds.add(id);
    expect(polledIds.size).toBe(300);
  });

  it('Songs are polled one by one if the gateway does not support batches', async () => {
    const { many } = await startBatchGateway((_some, response) => response.writeHead(404).end());
    await expect(many.pollMany(ids)).rejects.toMatchObject({ kind: 'not-offered' });
    expect(many.max).toBe(1);
  });

  it('Songs are polled one by one if the gateway shows its home page instead of a batch', async () => {
    const { many } = await startBatchGateway((_some, response) => response.end('<!doctype html><html></html>'));
    await expect(many.pollMany(ids)).rejects.toMatchObject({ kind: 'malformed' });
    expect(many.max).toBe(1);
  });
});
