import type { Server } from 'node:http';
import { PortError, type PortUse } from './port-error.ts';

/** Returns once the port is open, or throws a `PortError`. Closing it also ends open connections. */
export async function listen(server: Server, use: PortUse): Promise<{ port: number; close(): Promise<void> }> {
  const { port, host } = use;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => reject(new PortError(use, error));
    server.once('error', fail);
    server.listen({ port, host }, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
