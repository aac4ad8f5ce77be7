import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { responseFor } from './answer.ts';

/** A gateway that uses almost no CPU time, because no job ever changes. It runs in a separate process. */

export interface StubInfo {
  url: string;
}

/** Requests a notification when this many polls have been received, counted from now. */
export interface StubCommand {
  polls: number;
}

/** When the first and the last of the requested polls were received, according to the machine's clock. */
export interface PollTimes {
  firstAt: number;
  lastAt: number;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

let remaining = 0;
let firstAt = 0;

const server = createServer((request, response) => {
  void bodyFor(request).then((body) => {
    response.writeHead(body === undefined ? 404 : 200, {
      ...JSON_TYPE,
      'content-length': Buffer.byteLength(body ?? ''),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', ({ polls }: StubCommand) => {
  remaining = polls;
  firstAt = 0;
});
process.on('disconnect', () => server.close());
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } satisfies StubInfo);

async function bodyFor(request: IncomingMessage): Promise<string | undefined> {
  const { url = '' } = request;
  const [, remoteId] = /^\/imgx\/task\/(\d+)\/fetch$/.exec(url) ?? [];
  if (remoteId !== undefined) {
    countPoll();
    return responseFor(remoteId);
  }
  if (url !== '/imgx/task/list-by-condition') return undefined;
  countPoll();
  const { ids } = JSON.parse(await text(request)) as { ids: string[] };
  return `[${ids.map(responseFor).join()}]`;
}

function countPoll(): void {
  if (remaining === 0) return;
  const now = Date.now();
  firstAt ||= now;
  remaining -= 1;
  if (remaining === 0) process.send?.({ firstAt, lastAt: now } satisfies PollTimes);
}
