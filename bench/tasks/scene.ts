import type { ChildProcess } from 'node:child_process';
import { noLimits } from '../../test/support/no-limits.ts';
import { end, messageFrom, start } from '../discord/child.ts';
import type { Load, LoadFigures } from '../discord/orders.ts';
import { Stage } from '../discord/stage.ts';
import { startBot } from './bot.ts';
import type { Filling } from './filled-store.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubHeard, StubOrder, StubServed } from './stub.ts';

interface Input {
  filling: Filling;
  /** Waits until the gateway has received this many polls. */
  questions: number;
  settings?: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
}

/** The times of the shipped bot, all in milliseconds since its process was started. */
export interface Entrance {
  bot: ChildProcess;
  readyAfter: number;
  hereAfter: number;
  /** Undefined if no task is live, because then nothing is polled. */
  firstPollAfter: number | undefined;
}

/** The embedded Discord and a stub gateway, each in a separate process, between which the shipped bot starts with an existing store. */
export class Scene {
  readonly #stage: Stage;
  readonly #folder: StoreFolder;
  readonly #stub: ChildProcess;
  readonly #gatewayUrl: string;
  #sessions = 0;

  private constructor(stage: Stage, folder: StoreFolder, stub: ChildProcess, { url }: StubServed) {
    this.#stage = stage;
    this.#folder = folder;
    this.#stub = stub;
    this.#gatewayUrl = url;
  }

  static async open(): Promise<Scene> {
    const stub = start(new URL('stub.ts', import.meta.url));
    const served = await messageFrom<StubServed>(stub);
    return new Scene(await Stage.open(), await StoreFolder.open(), stub, served);
  }

  async enter({ filling, questions, settings, nodeOptions }: Input): Promise<Entrance> {
    const file = await this.#folder.filled(filling);
    this.#sessions += 1;
    // Requested before the bot starts, so the responses are not missed.
    const ready = this.#stage.ask('ready', { sessions: this.#sessions }).then(() => Date.now());
    const heard = questions > 0 ? this.#heard(questions) : undefined;
    const bot = startBot({ ...this.#settings(), STORE_URL: `sqlite://${file}`, ...settings }, nodeOptions);
    const [readyAt, here, polled] = await Promise.all([ready, bot.here, heard]);
    if (here.tasks !== filling.tasks) throw new Error(`The bot found ${here.tasks} of ${filling.tasks} tasks.`);
    return {
      bot: bot.process,
      readyAfter: readyAt - bot.startedAt,
      hereAfter: here.at - bot.startedAt,
      firstPollAfter: polled && polled.firstAt - bot.startedAt,
    };
  }

  /** Members who use a command in the meantime. */
  load(load: Load): Promise<LoadFigures> {
    return this.#stage.ask('load', load);
  }

  async leave(bot: ChildProcess): Promise<void> {
    await end(bot);
    await this.#stage.ask('forget', null);
  }

  async close(): Promise<void> {
    await Promise.all([this.#stage.close(), this.#folder.close(), end(this.#stub)]);
  }

  #heard(questions: number): Promise<StubHeard> {
    this.#stub.send({ questions } satisfies StubOrder);
    return messageFrom<StubHeard>(this.#stub);
  }

  #settings(): Record<string, string> {
    const { apiUrl, token, gatewayKey } = this.#stage.served;
    return {
      DISCORD_TOKEN: token,
      DISCORD_API_URL: apiUrl,
      GATEWAY_BASE_URL: this.#gatewayUrl,
      GATEWAY_API_KEY: gatewayKey,
      ...noLimits,
    };
  }
}
