import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerTo } from './answer.ts';

/** A gateway that costs next to nothing: no job ever changes. It runs in a separate process. */

export interface StubServed {
  url: string;
}

/** Requests a notification when this many polls have been received, counted from now. */
export interface StubOrder {
  questions: number;
}

/** When the first and the last of them were received, by the machine's clock. */
export interface StubHeard {
  firstAt: number;
  lastAt: number;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

let left = 0;
let firstAt = 0;

const server = createServer((request, response) => {
  void answer(request).then((body) => {
    response.writeHead(body === undefined ? 404 : 200, {
      ...JSON_TYPE,
      'content-length': Buffer.byteLength(body ?? ''),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', ({ questions }: StubOrder) => {
  left = questions;
  firstAt = 0;
});
process.on('disconnect', () => server.close());
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } satisfies StubServed);

async function answer(request: IncomingMessage): Promise<string | undefined> {
  const { url = '' } = request;
  const [, remoteId] = /^\/imgx\/task\/(\d+)\/fetch$/.exec(url) ?? [];
  if (remoteId !== undefined) {
    hear();
    return answerTo(remoteId);
  }
  if (url !== '/imgx/task/list-by-condition') return undefined;
  hear();
  const { ids } = JSON.parse(await text(request)) as { ids: string[] };
  return `[${ids.map(answerTo).join()}]`;
}

function hear(): void {
  if (left === 0) return;
  const now = Date.now();
  firstAt ||= now;
  left -= 1;
  if (left === 0) process.send?.({ firstAt, lastAt: now } satisfies StubHeard);
}
