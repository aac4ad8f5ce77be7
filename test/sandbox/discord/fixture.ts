import { Client, Events, type Interaction } from 'discord.js';
import { onTestFinished } from 'vitest';
import { type DiscordOptions, type EmbeddedDiscord, startDiscord } from '../../../sandbox/discord/discord.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export interface DiscordFixture {
  readonly discord: EmbeddedDiscord;
  readonly clock: ManualClock;
}

/** Starts an embedded Discord with a simulated clock. */
export async function startFixture(options: DiscordOptions = {}): Promise<DiscordFixture> {
  const clock = new ManualClock();
  const discord = await startDiscord({ clock, ...options });
  onTestFinished(() => discord.close());
  return { discord, clock };
}

/** Starts a logged-in discord.js client. */
export async function startClient(discord: EmbeddedDiscord, intents: number[] = []): Promise<Client<true>> {
  const client = new Client({ intents, rest: { api: discord.apiUrl } });
  onTestFinished(() => client.destroy());
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  return await ready;
}

/** Calls a handler for every interaction, and returns the list to which the handler's errors are added. */
export function handleInteractions(client: Client, handle: (interaction: Interaction) => Promise<unknown>): unknown[] {
  const problems: unknown[] = [];
  client.on(Events.InteractionCreate, (interaction) => {
    handle(interaction).catch((problem: unknown) => problems.push(problem));
  });
  return problems;
}
