import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, start } from '../discord/child.ts';
import type { Order, Orders, Served, SidesOptions } from './orders.ts';
import { BotProcess, type Role } from './process.ts';
import type { BenchServer } from './store.ts';

export const PARTITIONS = 32;
/** Several servers in each partition. */
const GUILDS = 400;

const CHECK_INTERVAL_MS = 50;

const usual: SidesOptions = {
  ...{ guilds: GUILDS, partitions: PARTITIONS, shards: 1, maxConcurrency: 1 },
  ...{ isIdentifyLimited: false, areLarge: false },
};

interface Start {
  settings?: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
}

interface ClusterStart extends Start {
  /** The default of the setting. */
  partitions?: number;
}

/** The embedded servers in one process, and the bot's processes with a new store. */
export class Stage {
  readonly #processes: BotProcess[] = [];
  readonly #sides: ChildProcess;
  /** The environment of every process, except for its store. */
  readonly settings: Readonly<Record<string, string>>;
  /** The size of a GUILD_CREATE event. */
  readonly guildBytes: number;
  #store: string;
  readonly #server: BenchServer;

  private constructor(sides: ChildProcess, { settings, guildBytes }: Served, server: BenchServer, store: string) {
    this.#sides = sides;
    this.settings = settings;
    this.guildBytes = guildBytes;
    this.#server = server;
    this.#store = store;
  }

  static async open(server: BenchServer, options: Partial<SidesOptions> = {}): Promise<Stage> {
    const all: SidesOptions = { ...usual, ...options };
    const sides = start(new URL('sides.ts', import.meta.url), { programArguments: [JSON.stringify(all)] });
    const { settings, guildBytes } = await answerOf<Served>(sides);
    const shared = { ...settings, PARTITIONS: String(all.partitions), SHARD_COUNT: String(all.shards) };
    return new Stage(sides, { settings: shared, guildBytes }, server, await server.freshStore());
  }

  async ask<Kind extends keyof Orders>(kind: Kind, input: Orders[Kind]['input']): Promise<Orders[Kind]['answer']> {
    this.#sides.send({ kind, input } as Order);
    return answerOf<Orders[Kind]['answer']>(this.#sides);
  }

  async connected(sessions: number): Promise<void> {
    while ((await this.ask('sessions', null)) < sessions) await sleep(CHECK_INTERVAL_MS);
  }

  get sidesPid(): number {
    return this.#sides.pid ?? 0;
  }

  /** Starts a process, which is not ready yet when this returns. */
  start(role: Role, { settings, nodeOptions }: Start = {}): BotProcess {
    const started = new BotProcess(role, { ...this.settings, STORE_URL: this.#store, ...settings }, nodeOptions);
    this.#processes.push(started);
    return started;
  }

  /** Starts shard processes and workers, and waits until all partitions and shards are distributed. */
  async startCluster(
    workers: number,
    options: ClusterStart = {},
  ): Promise<{ shard: BotProcess; workers: BotProcess[] }> {
    const started = Array.from({ length: workers }, () => this.start('worker', options));
    const shard = this.start('shard', options);
    await Promise.all([...started, shard].map(({ ready }) => ready));
    const share = (options.partitions ?? PARTITIONS) / workers;
    await Promise.all(started.map((worker) => worker.until(() => worker.owned.size === share)));
    return { shard, workers: started };
  }

  /** Stops all processes; the next ones start with an empty store. */
  async clear(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((one) => one.stop()));
    await this.ask('forget', null);
    this.#store = await this.#server.freshStore();
  }

  /** For measuring a part of the bot without the rest. */
  freshStore(): Promise<string> {
    return this.#server.freshStore();
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.stop()));
    await end(this.#sides);
  }
}

/** Some responses take minutes. */
async function answerOf<Answer>(sides: ChildProcess): Promise<Answer> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(sides, 'exit', { signal }).then(([code]) => {
    throw new Error(`The embedded servers ended early with code ${String(code)}.`);
  });
  try {
    const [answer] = await Promise.race([once(sides, 'message', { signal }), ended]);
    return answer as Answer;
  } finally {
    over.abort();
  }
}
