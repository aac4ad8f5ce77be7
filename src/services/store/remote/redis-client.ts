import type { createClient } from '@redis/client';
import { unsupportedError } from '../backend.ts';
import { importOptional } from '../import-optional.ts';
import type { ServerConnection } from './server-connection.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

type Client = ReturnType<typeof newClient>['client'];

/** One connection, so that requests reach the server in order. */
export class RedisClient {
  readonly connection: ServerConnection;
  readonly #client: Client;

  private constructor(connection: ServerConnection, client: Client) {
    this.connection = connection;
    this.#client = client;
  }

  /** The first connection succeeds or fails immediately; a lost connection is restored until the client is closed. */
  static async open(connection: ServerConnection): Promise<RedisClient> {
    const { createClient } = await importOptional(() => import('@redis/client'), '@redis/client');
    const { client, enableReconnect } = newClient(createClient, connection);
    try {
      await connection.run(() => client.connect());
      enableReconnect();
      return new RedisClient(connection, client);
    } catch (error) {
      if (client.isOpen) client.destroy();
      throw error;
    }
  }

  run<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.connection.run(() => work(this.#client));
  }

  /** A script is atomic on the server. */
  eval(script: string, keys: string[], values: readonly (string | number)[] = []): Promise<unknown> {
    return this.run((client) => client.eval(script, { keys, arguments: values.map(String) }));
  }

  async close(): Promise<void> {
    this.connection.close();
    if (this.#client.isOpen) this.#client.destroy();
  }
}

function newClient(create: typeof createClient, { url, name }: ServerConnection) {
  let shouldReconnect = false;
  const client = createSafely(name, () =>
    create({
      url,
      // Without a connection, a request fails immediately; in a queue, it would wait until the server is back.
      disableOfflineQueue: true,
      socket: {
        // The first connection succeeds or fails immediately; a lost one is retried until it is back.
        reconnectStrategy: (tries) => shouldReconnect && Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS),
      },
    }),
  );
  // The caller gets the error; without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  return {
    client,
    enableReconnect: () => {
      shouldReconnect = true;
    },
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
