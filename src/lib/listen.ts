import type { Server } from 'node:http';

interface PortUse {
  port: number;
  host: string;
  /** The names of the settings, such as `HTTP_HOST and HTTP_PORT`. */
  settings: string;
}

/** Thrown if the port cannot be opened. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly isInUse: boolean;

  constructor({ host, port, settings }: PortUse, cause: unknown) {
    const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const problem = isInUse
      ? `is in use by another program. Stop it, or change ${settings}`
      : `cannot be opened: check ${settings}, and that the account Atelier runs as is allowed to open the port`;
    super(`Port ${port} on ${host} ${problem}.`, { cause });
    this.isInUse = isInUse;
  }
}

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
