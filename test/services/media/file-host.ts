import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type RequestHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** A real file server on loopback that responds by path and records its requests. */
export interface FileHost {
  readonly origin: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  on(path: string, handler: RequestHandler): string;
  close(): Promise<void>;
}

export async function openFileHost(): Promise<FileHost> {
  const handlers = new Map<string, RequestHandler>();
  const requests: FileHost['requests'] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const handler = handlers.get(path.split('?')[0] ?? '');
    if (handler) handler(response, request);
    else response.writeHead(404).end('nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    on(path, handler) {
      handlers.set(path, handler);
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
  (bytes: Buffer, headers: Record<string, string | number> = {}): RequestHandler =>
  (response) => {
    response.writeHead(200, { 'content-length': bytes.length, ...headers }).end(bytes);
  };

/** Sends the file in chunks and without a content length. */
export const chunked =
  (bytes: Buffer, chunkSize = 64 * 1024): RequestHandler =>
  (response) => {
    response.writeHead(200);
    for (let offset = 0; offset < bytes.length; offset += chunkSize)
      response.write(bytes.subarray(offset, offset + chunkSize));
    response.end();
  };

export const redirect =
  (location: string, status = 302): RequestHandler =>
  (response) => {
    response.writeHead(status, { location }).end('this way');
  };
