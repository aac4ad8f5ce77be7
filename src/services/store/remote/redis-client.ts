import { unsupportedError } from '../backend.ts';
import { importOptional } from '../import-optional.ts';
import type { ServerConnection } from './server-connection.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

export type RedisClient = Awaited<ReturnType<typeof openRedisClient>>;

/**
 * One connection, so that requests reach the server in order. The first attempt to connect succeeds or fails immediately; a lost connection is restored until
 * the client is closed.
 */
export async function openRedisClient(connection: ServerConnection) {
  const { createClient } = await importOptional(() => import('@redis/client'), '@redis/client');
  let shouldReconnect = false;
  const reconnectStrategy = (tries: number): number | false =>
    shouldReconnect && Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS);
  // Without a connection, a request fails immediately; in a queue, it would wait until the server is back.
  const options = { url: connection.url, disableOfflineQueue: true, socket: { reconnectStrategy } };
  const client = createSafely(connection.name, () => createClient(options));
  // The caller gets the error; without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    connection.close();
    if (client.isOpen) client.destroy();
  };
  try {
    await connection.run(() => client.connect());
  } catch (error) {
    await close();
    throw error;
  }
  shouldReconnect = true;
  const run = <T>(work: (redis: typeof client) => Promise<T>): Promise<T> => connection.run(() => work(client));
  return {
    connection,
    run,
    /** A script is atomic on the server. */
    eval: (script: string, keys: string[], values: readonly (string | number)[] = []): Promise<unknown> =>
      run((redis) => redis.eval(script, { keys, arguments: values.map(String) })),
    close,
  };
}

/** An error about a URL contains the URL, and therefore the password. */
function createSafely<T>(name: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unsupportedError(
      `The address ${name} is not a valid Redis URL (${error.message}). Example: redis://host:6379/0`,
    );
  }
}
