import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The baseline: a process that does as little as possible with the same requests. */
const server = createServer((_, response) => {
  response.writeHead(202, { 'content-length': 0 }).end();
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit());
// It must not outlive the process that measures it.
process.once('disconnect', () => process.exit());
