import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { GatewayConnections } from '../../../src/services/gateway/connections.ts';
import { GatewayHttp } from '../../../src/services/gateway/http.ts';
import { defaultGatewayLimits, defaultSettings } from '../../../src/services/gateway/settings.ts';

/** A gateway whose responses wait until they are released, and two clients that share two connections to it. */
async function createFixture() {
  const openResponses = new Map<string, ServerResponse>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    openResponses.set(path, response);
    response.once('close', () => openResponses.delete(path));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const settings = {
    ...defaultSettings,
    connections: 2,
    apiKey: 'sk-sandbox',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const connections = new GatewayConnections(settings);
  const log = { info: () => undefined, warn: () => undefined };
  const createClient = () =>
    new GatewayHttp(settings, defaultGatewayLimits, { log, clock: systemClock, random: () => 1, connections });
  onTestFinished(async () => {
    await connections.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    connections,
    clients: [createClient(), createClient()] as const,
    openPaths: () => [...openResponses.keys()].sort(),
    respond: (path: string) => openResponses.get(path)?.end('{}'),
  };
}

it('Clients that share connections have no more requests at once than the limit, which can change meanwhile', async () => {
  const { connections, clients, openPaths, respond } = await createFixture();
  const requests = ['/1', '/2', '/3', '/4'].map((path, index) => clients[index % 2 === 0 ? 0 : 1].read({ path }));
  await expect.poll(openPaths).toEqual(['/1', '/2']);
  respond('/1');
  await expect.poll(openPaths).toEqual(['/2', '/3']);
  connections.setCount(1);
  const later = clients[0].read({ path: '/5' });
  await expect.poll(openPaths).toEqual(['/2', '/3', '/5']);
  for (const path of ['/2', '/3', '/5']) respond(path);
  await expect.poll(openPaths).toEqual(['/4']);
  respond('/4');
  expect(await Promise.all([...requests, later])).toEqual([{}, {}, {}, {}, {}]);
});

it('A client that is closed aborts its own requests, and not those of others', async () => {
  const { clients, openPaths, respond } = await createFixture();
  const own = clients[0].submit({ path: '/own', body: {} });
  const other = clients[1].submit({ path: '/other', body: {} });
  await expect.poll(openPaths).toEqual(['/other', '/own']);
  await clients[0].close();
  await expect(own).rejects.toMatchObject({ kind: 'unreachable', mayHaveTakenEffect: true });
  await expect(clients[0].read({ path: '/late', attempts: 1 })).rejects.toMatchObject({ kind: 'unreachable' });
  await expect.poll(openPaths).toEqual(['/other']);
  respond('/other');
  expect(await other).toEqual({});
});
