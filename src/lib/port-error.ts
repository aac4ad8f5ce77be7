export interface PortUse {
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
      ? 'is in use by another program'
      : `cannot be opened: check ${settings}, and that the account Atelier runs as is allowed to open the port`;
    super(`Port ${port} on ${host} ${problem}.`, { cause });
    this.isInUse = isInUse;
  }
}
