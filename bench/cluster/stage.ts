import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bot, type Role } from '../harness/bot.ts';
import { launch, stop } from '../harness/program.ts';
import type { Command, Commands, EmbeddedServersOptions, StartedServers } from './orders.ts';
import type { BenchServer } from './store.ts';

export const PARTITIONS = 32;
/** Several servers in each partition. */
const GUILD_COUNT = 400;

const CHECK_INTERVAL_MS = 50;

const defaults: EmbeddedServersOptions = {
  guilds: GUILD_COUNT,
  partitions: PARTITIONS,
  shards: 1,
  maxConcurrency: 1,
  isIdentifyLimited: false,
  areLarge: false,
};

interface StartOptions {
  settings?: Readonly<Record<string, string>>;
}

interface ClusterOptions extends StartOptions {
  /** Must equal the setting `PARTITIONS` if that is overridden. */
  partitions?: number;
}

/** The embedded servers in one process, and the bot's processes with a new store. */
export class ClusterHarness {
  readonly #processes: Bot[] = [];
  readonly #embeddedServers: ChildProcess;
  /** The environment of every process, except for its store. */
  readonly settings: Readonly<Record<string, string>>;
  /** The size of a GUILD_CREATE event. */
  readonly guildBytes: number;
  #store: string;
  readonly #server: BenchServer;

  private constructor(
    embeddedServers: ChildProcess,
    { settings, guildBytes }: StartedServers,
    server: BenchServer,
    store: string,
  ) {
    this.#embeddedServers = embeddedServers;
    this.settings = settings;
    this.guildBytes = guildBytes;
    this.#server = server;
    this.#store = store;
  }

  static async create(server: BenchServer, options: Partial<EmbeddedServersOptions> = {}): Promise<ClusterHarness> {
    const allOptions: EmbeddedServersOptions = { ...defaults, ...options };
    const embeddedServers = launch(new URL('sides.ts', import.meta.url), {
      programArguments: [JSON.stringify(allOptions)],
    });
    const { settings, guildBytes } = await replyFrom<StartedServers>(embeddedServers);
    const sharedSettings = {
      ...settings,
      PARTITIONS: String(allOptions.partitions),
      SHARD_COUNT: String(allOptions.shards),
    };
    return new ClusterHarness(
      embeddedServers,
      { settings: sharedSettings, guildBytes },
      server,
      await server.freshStore(),
    );
  }

  async request<Kind extends keyof Commands>(
    kind: Kind,
    input: Commands[Kind]['input'],
  ): Promise<Commands[Kind]['output']> {
    this.#embeddedServers.send({ kind, input } as Command);
    return replyFrom<Commands[Kind]['output']>(this.#embeddedServers);
  }

  async waitForSessions(sessions: number): Promise<void> {
    while ((await this.request('sessions', null)) < sessions) await sleep(CHECK_INTERVAL_MS);
  }

  get embeddedServersPid(): number {
    return this.#embeddedServers.pid ?? 0;
  }

  /** Starts a process, which is not ready yet when this returns. */
  start(role: Role, { settings }: StartOptions = {}): Bot {
    const botProcess = new Bot({ ...this.settings, STORE_URL: this.#store, ...settings }, { role });
    this.#processes.push(botProcess);
    return botProcess;
  }

  /** Starts shard processes and workers, and waits until all partitions and shards are distributed. */
  async startCluster(workers: number, options: ClusterOptions = {}): Promise<{ shard: Bot; workers: Bot[] }> {
    const workerProcesses = Array.from({ length: workers }, () => this.start('worker', options));
    const shard = this.start('shard', options);
    await Promise.all([...workerProcesses, shard].map(({ ready }) => ready));
    const share = (options.partitions ?? PARTITIONS) / workers;
    await Promise.all(workerProcesses.map((worker) => worker.waitUntil(() => worker.ownedSince.size === share)));
    return { shard, workers: workerProcesses };
  }

  /** Stops all processes; the next ones start with an empty store. */
  async clear(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((one) => one.stop()));
    await this.request('endSessions', null);
    this.#store = await this.#server.freshStore();
  }

  /** The URL of a new store, for measuring a part of the bot alone. */
  freshStore(): Promise<string> {
    return this.#server.freshStore();
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.stop()));
    await stop(this.#embeddedServers);
  }
}

/** There is no time limit, because some responses take minutes. */
async function replyFrom<Answer>(embeddedServers: ChildProcess): Promise<Answer> {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = once(embeddedServers, 'exit', { signal }).then(([code]) => {
    throw new Error(`The embedded servers ended early with code ${String(code)}.`);
  });
  try {
    const [answer] = await Promise.race([once(embeddedServers, 'message', { signal }), ended]);
    return answer as Answer;
  } finally {
    controller.abort();
  }
}
