import { Routes } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/discord.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { wasUnannounced } from './unannounced.ts';

const LONG_AGO = Date.UTC(2026, 0, 1);

/** A bot in a channel with a limit of two messages, and an embedded Discord that loses responses on demand. */
async function limitedChannel() {
  const clock = new ManualClock(LONG_AGO);
  const discord = await startDiscord({ clock, limits: { messagesPerChannel: 2 } });
  onTestFinished(() => discord.close());
  const url = `${discord.apiUrl}/v10${Routes.channelMessages(discord.world.channel('studio').id)}`;
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  /** The status of the response; undefined if none arrives. */
  const post = () =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ content: 'x' }) }).then(
      ({ status }) => status,
      () => undefined,
    );
  const areUnannounced = (...starts: number[]) =>
    discord.rateLimitHits.map((hit) => wasUnannounced(hit, { requests: discord.requests, starts }));
  return { clock, discord, post, areUnannounced };
}

describe('A rate limit that a bot hits', () => {
  it("A rate limit is the bot's fault when a response, even a refusal, had reported that no requests were left", async () => {
    const { post, areUnannounced } = await limitedChannel();
    for (const status of [200, 200, 429, 429]) expect(await post()).toBe(status);
    expect(areUnannounced(LONG_AGO)).toEqual([false, false]);
  });

  it("A rate limit is not the bot's fault when the response that would have reported it was lost", async () => {
    const { discord, post, areUnannounced } = await limitedChannel();
    expect(await post()).toBe(200);
    discord.faults.add({ do: { type: 'reset', done: true } });
    expect(await post()).toBe(undefined);
    for (const status of [429, 429]) expect(await post()).toBe(status);
    expect(areUnannounced(LONG_AGO)).toEqual([true, false]);
  });

  it("A rate limit is the bot's fault when an earlier response was lost but the last one arrived", async () => {
    const { discord, post, areUnannounced } = await limitedChannel();
    discord.faults.add({ do: { type: 'reset' } });
    expect(await post()).toBe(undefined);
    for (const status of [200, 429]) expect(await post()).toBe(status);
    expect(areUnannounced(LONG_AGO)).toEqual([false]);
  });

  it("A rate limit is not the bot's fault the first time after the previous process of the bot used it up", async () => {
    const { clock, post, areUnannounced } = await limitedChannel();
    for (const status of [200, 200]) expect(await post()).toBe(status);
    clock.advance(1_000);
    for (const status of [429, 429]) expect(await post()).toBe(status);
    expect(areUnannounced(LONG_AGO, clock.now())).toEqual([true, false]);
  });
});
