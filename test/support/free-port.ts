import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a port that was free a moment ago, for a bot whose settings must name the port before it is opened. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
