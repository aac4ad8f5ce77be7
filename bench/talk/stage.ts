import type { ChildProcess } from 'node:child_process';
import { nodeArguments } from '../as-started.ts';
import { end, messageFrom, start } from '../discord/child.ts';
import type { ProcessUsage } from '../text/probe.ts';
import type { Commands, ServerInfo } from './orders.ts';

/** The bot, started as in production, with access to its memory and CPU use. */
export interface MeasuredBot {
  usage(collect?: boolean): Promise<ProcessUsage>;
}

/** The embedded servers, and a bot that is connected to them. */
export class TalkHarness {
  readonly #embeddedServers: ChildProcess;
  readonly #serverInfo: ServerInfo;

  constructor(embeddedServers: ChildProcess, serverInfo: ServerInfo) {
    this.#embeddedServers = embeddedServers;
    this.#serverInfo = serverInfo;
  }

  async request<Kind extends keyof Commands>(
    kind: Kind,
    input: Commands[Kind]['input'],
  ): Promise<Commands[Kind]['output']> {
    this.#embeddedServers.send({ kind, input });
    return messageFrom<Commands[Kind]['output']>(this.#embeddedServers);
  }

  async withBot(work: (bot: MeasuredBot) => Promise<void>): Promise<void> {
    const child = start(new URL('../../src/index.ts', import.meta.url), {
      environment: this.#serverInfo.settings,
      nodeOptions: [...nodeArguments, '--expose-gc', '--import', new URL('../text/probe.ts', import.meta.url).href],
    });
    try {
      await work({
        usage(collect = false) {
          child.send({ collect });
          return messageFrom<ProcessUsage>(child);
        },
      });
    } finally {
      await end(child);
    }
  }
}
