export interface HttpSettings {
  port: number;
  host: string;
  metricsToken: string | undefined;
}

export class PortError extends Error {
  override readonly name = 'PortError';
  readonly isInUse: boolean;

  constructor({ host, port }: HttpSettings, cause: unknown) {
    const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const why = isInUse
      ? 'is in use by another program'
      : 'cannot be opened: check HTTP_HOST and HTTP_PORT, and that the account Atelier runs as is allowed to open the port';
    super(`Port ${port} on ${host} ${why}.`, { cause });
    this.isInUse = isInUse;
  }
}
