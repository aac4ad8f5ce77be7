import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../test/support/free-port.ts';
import { type StoreServer, startPostgres, startRedis } from '../../test/support/store-servers.ts';

const serverKinds = { redis: startRedis, postgres: startPostgres } as const;
type ServerKind = keyof typeof serverKinds;

export const isServerKind = (name: string): name is ServerKind => Object.hasOwn(serverKinds, name);

/** A separate database server on loopback, which flushes each write to disk before it acknowledges it. */
export class BenchServer {
  readonly kind: ServerKind;
  readonly #server: StoreServer;
  readonly #folder: string;
  #storeCount = 0;

  private constructor(kind: ServerKind, server: StoreServer, folder: string) {
    this.kind = kind;
    this.#server = server;
    this.#folder = folder;
  }

  static async create(kind: ServerKind): Promise<BenchServer> {
    const folder = mkdtempSync(join(tmpdir(), 'atelier-bench-'));
    // The user that Postgres runs as must be able to reach its data folder.
    chmodSync(folder, 0o755);
    const dataFolder = join(folder, kind);
    mkdirSync(dataFolder);
    const password = randomBytes(12).toString('hex');
    const server = await serverKinds[kind]({ folder: dataFolder, port: await freePort(), password, isDurable: true });
    if (!server) throw new Error(`${kind} is not available, so there is nothing to measure.`);
    return new BenchServer(kind, server, folder);
  }

  /** The URL of a new, empty store. */
  async freshStore(): Promise<string> {
    this.#storeCount += 1;
    if (this.kind === 'redis') return `${this.#server.url}/${this.#storeCount}`;
    const url = new URL(this.#server.url);
    const client = new pg.Client(url.href);
    await client.connect();
    url.pathname = `/bench_${this.#storeCount}`;
    await client.query(`CREATE DATABASE bench_${this.#storeCount}`);
    await client.end();
    return url.href;
  }

  async close(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
