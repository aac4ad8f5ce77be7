import { setTimeout as sleep } from 'node:timers/promises';
import { type APIMessage, ComponentType } from 'discord-api-types/v10';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { MessageChange } from '../../sandbox/discord/stream.ts';
import { program } from '../harness/program.ts';
import { openSides } from '../harness/sides.ts';

/** Each is in a server of its own, with one member. */
const CHANNELS = 150;
/** The orders are spread evenly over this time. */
const OVER_MS = 10_000;
/** U1 to U4, V1 to V4 and a reroll. */
const RESULT_BUTTONS = 9;
/** An acknowledgement that is too late for Discord is measured like the others. */
const ACKNOWLEDGE_MS = 60_000;
/** From the last order on. The slowest of a thousand jobs takes less than two minutes. */
const RESULTS_LIMIT_MS = 5 * 60_000;

const guildOf = (channel: number): string => `guild-${channel + 1}`;
const nameIn = (guildName: string): string => `member of ${guildName}`;

export const startDiscord = program(import.meta, openDiscord);

/** Discord's own limits apply. */
async function openDiscord() {
  const { discord, settings } = await openSides({
    discord: { guilds: CHANNELS, limits: { acknowledgeMs: ACKNOWLEDGE_MS } },
  });
  for (let channel = 0; channel < CHANNELS; channel++) addMember(discord, guildOf(channel));
  /** Called with the time at which a result is shown, by the id of the interaction. */
  const onShown = new Map<string, (at: number) => void>();
  discord.listen(({ kind, what }) => {
    if (kind !== 'message') return;
    const { message } = what as MessageChange;
    if (showsResult(message)) onShown.get(message.interaction_metadata?.id ?? '')?.(Date.now());
  });

  async function order(number: number) {
    const guildName = guildOf(number % CHANNELS);
    const prompt = `a fox in the snow, number ${number}`;
    const member = discord.as(nameIn(guildName)).in(guildName);
    const { id, acknowledged } = await member.slash('imagine', { prompt });
    const { promise: shownAt, resolve } = Promise.withResolvers<number>();
    onShown.set(id, resolve);
    const { afterMs } = await acknowledged();
    const result = { prompt, acknowledgedAfterMs: afterMs, shownAt: await shownAt };
    onShown.delete(id);
    return result;
  }

  async function failLate(): Promise<never> {
    await sleep(RESULTS_LIMIT_MS, undefined, { ref: false });
    const limit = `${RESULTS_LIMIT_MS / 60_000} minutes`;
    throw new Error(`${onShown.size} results were not shown within ${limit} of the last order. Look at the bot's log.`);
  }

  return {
    settings: () => settings,
    /** Orders at the pace of the clock, so that a slow response does not delay the next order. Returns once all results are shown. */
    async order(jobs: number) {
      const start = performance.now();
      const orders: ReturnType<typeof order>[] = [];
      for (let number = 0; number < jobs; number++) {
        await sleep(Math.max(0, start + (number * OVER_MS) / jobs - performance.now()));
        orders.push(order(number));
      }
      const results = await Promise.race([Promise.all(orders), failLate()]);
      const [violation] = discord.violations;
      if (violation) throw new Error(`The embedded Discord reported a violation: ${JSON.stringify(violation)}`);
      return results;
    },
  };
}

function addMember({ world }: EmbeddedDiscord, guildName: string): void {
  const { id, members } = world.guild(guildName);
  const user = { ...world.user('member'), id: String(BigInt(id) + 1n), name: nameIn(guildName) };
  world.users.set(user.id, user);
  // Without another channel, an actor is in the first server.
  for (const one of [members, world.guild('atelier').members])
    one.set(user.id, { userId: user.id, roles: [], joinedAt: 0 });
}

function showsResult({ attachments, components = [] }: APIMessage): boolean {
  const buttons = components.flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []));
  return attachments.length > 0 && buttons.length >= RESULT_BUTTONS;
}
