import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createGateway } from '../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import { addCleanup } from '../support/ending.ts';
import { openFixture } from './both.ts';

const PATH = '/gw';

/**
 * Starts a proxy that serves the gateway under a path. The gateway does not know its public URL, so the URLs that it returns
 * have neither host nor path.
 */
async function startPathProxy(gatewayUrl: string): Promise<string> {
  const { port } = new URL(gatewayUrl);
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    if (!url.startsWith(`${PATH}/`)) return void response.writeHead(404).end();
    const options = { host: '127.0.0.1', port, path: url.slice(PATH.length), method, headers };
    const upstream = httpRequest(options, async (upstreamResponse) => {
      const bytes = Buffer.concat(await Array.fromAsync(upstreamResponse as AsyncIterable<Buffer>));
      const { 'content-type': type = '' } = upstreamResponse.headers;
      const body = type.includes('json') ? bytes.toString('utf8').replaceAll(gatewayUrl, '') : bytes;
      response.writeHead(upstreamResponse.statusCode ?? 502, { 'content-type': type }).end(body);
    });
    request.pipe(upstream);
  });
  server.on('upgrade', ({ url = '', rawHeaders }, socket, head) => {
    const upstream = connect(Number(port), '127.0.0.1');
    const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `\r\n${text}: ` : text));
    upstream.write(`GET ${url.slice(PATH.length)} HTTP/1.1${lines.join('')}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
    for (const stream of [upstream, socket]) stream.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  addCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
}

it.each(['', '/', '/v1', '/v1/'])('The client works with a base URL that ends in a path and "%s"', async (suffix) => {
  const { embedded, pollUntil } = await openFixture();
  const base = await startPathProxy(embedded.url);
  const gateway = createGateway({ ...defaultSettings, baseUrl: base + suffix, apiKey: 'sk-sandbox' });
  addCleanup(() => gateway.close());
  expect((await gateway.models.list()).length).toBeGreaterThan(0);
  const { remoteId } = await gateway.imgx.imagine({ prompt: 'a fox' });
  const { media } = await pollUntil(() => gateway.imgx.get(remoteId));
  expect(media[0]?.address).toMatch(new RegExp(`^${base}/files/`));
  const file = await fetch(media[0]?.address ?? '');
  expect(file.headers.get('content-type')).toMatch(/^image\//);
});

it('A live conversation works with a base URL that ends in a path', async () => {
  const { embedded } = await openFixture({ clock: systemClock, speed: 10_000 });
  const baseUrl = `${await startPathProxy(embedded.url)}/v1`;
  const gateway = createGateway({ ...defaultSettings, baseUrl, apiKey: 'sk-sandbox' });
  addCleanup(() => gateway.close());
  const session = await gateway.realtime.open({ model: 'parley-realtime' });
  const reply = await session.say({ text: 'hello' });
  const events = await Array.fromAsync(reply.events);
  expect(events.at(-1)).toMatchObject({ type: 'end', response: { end: 'completed' } });
  await session.close();
});
