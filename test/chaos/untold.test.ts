import { Routes } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/discord.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { wasUntold } from './untold.ts';

const LONG_AGO = Date.UTC(2026, 0, 1);

/** A bot in a channel where two messages fit, at a Discord that loses answers when told to. */
async function channel() {
  const clock = new ManualClock(LONG_AGO);
  const discord = await startDiscord({ clock, limits: { messagesPerChannel: 2 } });
  onTestFinished(() => discord.close());
  const url = `${discord.apiUrl}/v10${Routes.channelMessages(discord.world.channel('studio').id)}`;
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  /** The status of the answer; undefined where none comes. */
  const post = () =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ content: 'x' }) }).then(
      ({ status }) => status,
      () => undefined,
    );
  const untold = (...starts: number[]) =>
    discord.rateLimited.map((limited) => wasUntold(limited, { requests: discord.heard, starts }));
  return { clock, discord, post, untold };
}

describe('a limit that a bot meets', () => {
  it('A limit that a bot meets is its own fault when it was told that nothing is left, by a refusal too', async () => {
    const { post, untold } = await channel();
    for (const status of [200, 200, 429, 429]) expect(await post()).toBe(status);
    expect(untold(LONG_AGO)).toEqual([false, false]);
  });

  it('A limit that a bot meets is none of its faults when the answer that would have told it was lost, and only then', async () => {
    const { discord, post, untold } = await channel();
    expect(await post()).toBe(200);
    discord.faults.add({ do: { type: 'reset', done: true } });
    expect(await post()).toBe(undefined);
    for (const status of [429, 429]) expect(await post()).toBe(status);
    expect(untold(LONG_AGO)).toEqual([true, false]);
  });

  it('A limit that a bot meets is its own fault when an earlier answer was lost but the last one was not', async () => {
    const { discord, post, untold } = await channel();
    discord.faults.add({ do: { type: 'reset' } });
    expect(await post()).toBe(undefined);
    for (const status of [200, 429]) expect(await post()).toBe(status);
    expect(untold(LONG_AGO)).toEqual([false]);
  });

  it('A limit that a bot meets is none of its faults when its predecessor used it up, but once', async () => {
    const { clock, post, untold } = await channel();
    for (const status of [200, 200]) expect(await post()).toBe(status);
    clock.advance(1_000);
    for (const status of [429, 429]) expect(await post()).toBe(status);
    expect(untold(LONG_AGO, clock.now())).toEqual([true, false]);
  });
});
