import { type Dispatcher, Pool } from 'undici';
import { defaultGatewayLimits, type GatewayLimits, type GatewaySettings, parseBaseUrl } from './settings.ts';

/** The connections to the gateway. Several clients in one process can share them. */
export class GatewayConnections {
  readonly #createPool: (count: number) => Pool;
  #count: number;
  #pool: Pool;
  /** Pools that have been replaced, until their last request has ended. */
  readonly #replacedPools = new Set<Pool>();

  constructor({ baseUrl, connections: count }: GatewaySettings, limits: Partial<GatewayLimits> = {}) {
    const { origin } = parseBaseUrl(baseUrl);
    const { connectMs, bodyMs } = { ...defaultGatewayLimits, ...limits };
    this.#createPool = (connections) =>
      new Pool(origin, { connections, connect: { timeout: connectMs }, bodyTimeout: bodyMs });
    this.#count = count;
    this.#pool = this.#createPool(count);
  }

  get dispatcher(): Dispatcher {
    return this.#pool;
  }

  /** Changes the limit. Requests that have begun keep their connections, in addition to the new ones. */
  setCount(count: number): void {
    if (count === this.#count) return;
    const replacedPool = this.#pool;
    this.#count = count;
    this.#pool = this.#createPool(count);
    this.#replacedPools.add(replacedPool);
    void replacedPool.close().finally(() => this.#replacedPools.delete(replacedPool));
  }

  /** Aborts all requests. */
  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#replacedPools].map((pool) => pool.destroy()));
  }
}
