import type { ChildProcess } from 'node:child_process';
import { noLimits } from '../../test/support/no-limits.ts';
import { asStarted } from '../as-started.ts';
import { end, messageFrom, type Start, start } from './child.ts';
import type { Order, Orders, Served } from './orders.ts';

export type Way = 'bot' | BareWay;
/** With no intent, with no intent and its own cap on edits lifted, with the intent for guilds. */
export type BareWay = 'bare' | 'eager' | 'guilds';

/** The embedded servers, and the clients that are connected between them one at a time. */
export class Stage {
  readonly served: Served;
  readonly #sides: ChildProcess;
  readonly #clients = new Set<ChildProcess>();
  #sessions = 0;

  private constructor(sides: ChildProcess, served: Served) {
    this.#sides = sides;
    this.served = served;
  }

  static async open(guilds = 0): Promise<Stage> {
    const sides = start(new URL('sides.ts', import.meta.url), { programArguments: [String(guilds)] });
    return new Stage(sides, await messageFrom<Served>(sides));
  }

  async ask<Kind extends keyof Orders>(kind: Kind, input: Orders[Kind]['input']): Promise<Orders[Kind]['answer']> {
    this.#sides.send({ kind, input } as Order);
    return messageFrom<Orders[Kind]['answer']>(this.#sides);
  }

  /** Starts a client in a separate process. `readyAfter` is the time until Discord had sent it READY. */
  async enter(way: Way, nodeOptions: Start['nodeOptions'] = []): Promise<{ client: ChildProcess; readyAfter: number }> {
    this.#sessions += 1;
    // Requested before the process starts, so the response is not missed.
    const ready = this.ask('ready', { sessions: this.#sessions });
    const began = performance.now();
    const options = way === 'bot' ? [...asStarted, ...nodeOptions] : nodeOptions;
    const client = start(programs[way], { environment: this.#environment(way), nodeOptions: options });
    this.#clients.add(client);
    await ready;
    return { client, readyAfter: performance.now() - began };
  }

  async leave(client: ChildProcess): Promise<void> {
    this.#clients.delete(client);
    await end(client);
    if (this.#clients.size === 0) await this.ask('forget', null);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients, this.#sides].map(end));
  }

  #environment(way: Way): Record<string, string> {
    const { apiUrl, token, gatewayUrl, gatewayKey } = this.served;
    const discord = { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl };
    if (way !== 'bot') return { ...discord, BARE_WAY: way };
    // A store of the operator's own must neither be read nor written by a measurement.
    return {
      ...discord,
      GATEWAY_BASE_URL: gatewayUrl,
      GATEWAY_API_KEY: gatewayKey,
      ...noLimits,
      STORE_URL: 'sqlite://:memory:',
    };
  }
}

const bare = new URL('bare.ts', import.meta.url);
const programs: Readonly<Record<Way, URL>> = {
  bot: new URL('../../src/index.ts', import.meta.url),
  bare,
  eager: bare,
  guilds: bare,
};
