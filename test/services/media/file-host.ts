import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A real file server on loopback that responds by path and records its requests. */
export interface FileHost {
  readonly origin: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  on(path: string, answer: Answer): string;
  close(): Promise<void>;
}

export async function openFileHost(): Promise<FileHost> {
  const answers = new Map<string, Answer>();
  const requests: FileHost['requests'] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const answer = answers.get(path.split('?')[0] ?? '');
    if (answer) answer(response, request);
    else response.writeHead(404).end('nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    on(path, answer) {
      answers.set(path, answer);
      return origin + path;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const file =
  (bytes: Buffer, headers: Record<string, string | number> = {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-length': bytes.length, ...headers }).end(bytes);
  };

/** Sends the file in chunks and without a content length. */
export const chunked =
  (bytes: Buffer, piece = 64 * 1024): Answer =>
  (response) => {
    response.writeHead(200);
    for (let at = 0; at < bytes.length; at += piece) response.write(bytes.subarray(at, at + piece));
    response.end();
  };

export const redirect =
  (location: string, status = 302): Answer =>
  (response) => {
    response.writeHead(status, { location }).end('this way');
  };
