import type { ChildProcess } from 'node:child_process';
import { nodeArguments } from '../harness/bot.ts';
import { type LaunchOptions, launch, stop } from '../harness/program.ts';
import { messageFrom } from './child.ts';
import type { Command, Commands, ServerInfo } from './protocol.ts';

export type Variant = 'bot' | 'sockets' | BareVariant;
/** `bare` has no intents; `eager` has none either, and discord.js's own limit on edits is lifted; `guilds` has the intent for guilds. */
export type BareVariant = 'bare' | 'eager' | 'guilds';

/** The embedded servers, and the clients that are connected to them one at a time. */
export class DiscordHarness {
  readonly serverInfo: ServerInfo;
  readonly #embeddedServers: ChildProcess;
  readonly #clients = new Set<ChildProcess>();
  #sessionCount = 0;

  private constructor(embeddedServers: ChildProcess, serverInfo: ServerInfo) {
    this.#embeddedServers = embeddedServers;
    this.serverInfo = serverInfo;
  }

  static async create(guilds = 0): Promise<DiscordHarness> {
    const embeddedServers = launch(new URL('embedded-servers.ts', import.meta.url), {
      programArguments: [String(guilds)],
    });
    return new DiscordHarness(embeddedServers, await messageFrom<ServerInfo>(embeddedServers));
  }

  async request<Kind extends keyof Commands>(
    kind: Kind,
    input: Commands[Kind]['input'],
  ): Promise<Commands[Kind]['output']> {
    this.#embeddedServers.send({ kind, input } as Command);
    return messageFrom<Commands[Kind]['output']>(this.#embeddedServers);
  }

  /** Starts a client in a separate process; `readyMs` is the time until Discord has sent it READY. */
  async startClient(
    variant: Variant,
    nodeOptions: LaunchOptions['nodeOptions'] = [],
  ): Promise<{ client: ChildProcess; readyMs: number }> {
    this.#sessionCount += 1;
    // Requested before the process starts, so the response is not missed.
    const ready = this.request('ready', { sessions: this.#sessionCount });
    const startedAt = performance.now();
    // The bare connection runs as the bot does, so that only what is done with its packets differs.
    const isBare = variant !== 'bot' && variant !== 'sockets';
    const options = isBare ? nodeOptions : [...nodeArguments, ...nodeOptions];
    const client = launch(programs[variant], { environment: this.#environment(variant), nodeOptions: options });
    this.#clients.add(client);
    await ready;
    return { client, readyMs: performance.now() - startedAt };
  }

  async stopClient(client: ChildProcess): Promise<void> {
    this.#clients.delete(client);
    await stop(client);
    if (this.#clients.size === 0) await this.request('endSessions', null);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients, this.#embeddedServers].map(stop));
  }

  #environment(variant: Variant): Record<string, string> {
    const { apiUrl, token, settings } = this.serverInfo;
    if (variant === 'sockets') return { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl };
    if (variant !== 'bot') return { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl, BARE_WAY: variant };
    // A measurement must neither read nor write the operator's store.
    return { ...settings, STORE_URL: 'sqlite://:memory:' };
  }
}

const bare = new URL('bare.ts', import.meta.url);
const programs: Readonly<Record<Variant, URL>> = {
  bot: new URL('../../src/index.ts', import.meta.url),
  sockets: new URL('../mentions/bare-sockets.ts', import.meta.url),
  bare,
  eager: bare,
  guilds: bare,
};
