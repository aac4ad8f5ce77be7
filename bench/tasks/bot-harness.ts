import type { ChildProcess } from 'node:child_process';
import { messageFrom } from '../discord/child.ts';
import { DiscordHarness } from '../discord/discord-harness.ts';
import type { Load, LoadFigures } from '../discord/protocol.ts';
import { Bot } from '../harness/bot.ts';
import { launch, stop } from '../harness/program.ts';
import type { StoreContent } from './filled-store.ts';
import { StoreFolder } from './store-folder.ts';
import type { PollTimes, StubCommand, StubInfo } from './stub.ts';

interface LaunchOptions {
  storeContent: StoreContent;
  /** Waits until the gateway has received this many polls. */
  polls: number;
  settings?: Readonly<Record<string, string>>;
  /** By default true. */
  hasProbe?: boolean;
}

/** The times of the shipped bot, all in milliseconds since its process was started. */
export interface BotStart {
  bot: Bot;
  readyAfter: number;
  readyLogAfter: number;
  /** Undefined if no task is live, because then nothing is polled. */
  firstPollAfter: number | undefined;
}

/** The embedded Discord and a stub gateway, each in a separate process, between which the shipped bot starts with an existing store. */
export class BotHarness {
  readonly #discordHarness: DiscordHarness;
  readonly #folder: StoreFolder;
  readonly #stub: ChildProcess;
  readonly #gatewayUrl: string;
  #sessions = 0;

  private constructor(discordHarness: DiscordHarness, folder: StoreFolder, stub: ChildProcess, { url }: StubInfo) {
    this.#discordHarness = discordHarness;
    this.#folder = folder;
    this.#stub = stub;
    this.#gatewayUrl = url;
  }

  static async open(): Promise<BotHarness> {
    const stub = launch(new URL('stub.ts', import.meta.url));
    const stubInfo = await messageFrom<StubInfo>(stub);
    return new BotHarness(await DiscordHarness.create(), await StoreFolder.open(), stub, stubInfo);
  }

  async launchBot({ storeContent, polls, settings, hasProbe }: LaunchOptions): Promise<BotStart> {
    const file = await this.#folder.createStore(storeContent);
    this.#sessions += 1;
    // Requested before the bot starts, so the responses are not missed.
    const ready = this.#discordHarness.request('ready', { sessions: this.#sessions }).then(() => Date.now());
    const pollTimes = polls > 0 ? this.#waitForPolls(polls) : undefined;
    const bot = new Bot({ ...this.#settings(), STORE_URL: `sqlite://${file}`, ...settings }, { hasProbe });
    const [readyAt, readyReport, measuredPolls] = await Promise.all([ready, bot.ready, pollTimes]);
    if (readyReport.tasks !== storeContent.tasks)
      throw new Error(`The bot found ${readyReport.tasks} of ${storeContent.tasks} tasks.`);
    return {
      bot,
      readyAfter: readyAt - bot.startedAt,
      readyLogAfter: readyReport.at - bot.startedAt,
      firstPollAfter: measuredPolls && measuredPolls.firstAt - bot.startedAt,
    };
  }

  /** Lets members use a command while the bot runs, and returns the figures. */
  load(load: Load): Promise<LoadFigures> {
    return this.#discordHarness.request('load', load);
  }

  async stopBot(bot: Bot): Promise<void> {
    await bot.stop();
    await this.#discordHarness.request('endSessions', null);
  }

  async close(): Promise<void> {
    await Promise.all([this.#discordHarness.close(), this.#folder.close(), stop(this.#stub)]);
  }

  #waitForPolls(polls: number): Promise<PollTimes> {
    this.#stub.send({ polls } satisfies StubCommand);
    return messageFrom<PollTimes>(this.#stub);
  }

  #settings(): Record<string, string> {
    return { ...this.#discordHarness.serverInfo.settings, GATEWAY_BASE_URL: this.#gatewayUrl };
  }
}
