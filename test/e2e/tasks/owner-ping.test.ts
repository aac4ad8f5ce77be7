import { MessageType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { FastClock } from '../../support/quick-clock.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, says, startFastClockBot } from '../quick.ts';

const minute = 60_000;
/** All messages in all channels that ping a member or everyone. */
const pings = (discord: EmbeddedDiscord): Message[] =>
  [...discord.world.channels.keys()]
    .flatMap((id) => discord.messages(id))
    .filter(({ mentions, mention_everyone }) => mentions.length > 0 || mention_everyone);

/** Waits until no task is in progress. */
async function waitUntilIdle(discord: EmbeddedDiscord): Promise<void> {
  await expect
    .poll(async () => text(await (await discord.as('other').slash('about')).message()))
    .toContain('Tasks in progress: 0');
}

/** Lets time pass only while the test runs, because a busy machine can suspend it for minutes of the fast clock. */
const advanceUntil = (clock: FastClock, isReached: () => boolean): Promise<void> =>
  expect
    .poll(() => {
      clock.advance(1_000);
      return isReached();
    })
    .toBe(true);

describe('The owner ping of a long job', () => {
  it('When a job that took more than a minute has finished, a reply to its message pings its owner and no one else', async () => {
    const { discord, gateway, clock } = await startFastClockBot();
    const exchange = await discord.as('member').slash('imagine', { prompt: '@everyone and <@111111111111111111>' });
    await exchange.message(says('%'));
    clock.advance(2 * minute);
    const final = await exchange.message(says('Finished in'));
    await waitUntilIdle(discord);
    const { id } = discord.world.user('member');
    expect(pings(discord)).toMatchObject([
      {
        content: `<@${id}>, your task has finished.`,
        type: MessageType.Reply,
        message_reference: { message_id: final.id },
        mentions: [{ id }],
        mention_everyone: false,
        attachments: [],
        components: [],
      },
    ]);
    expect(gateway.jobs.list()).toHaveLength(1);
  });

  it('The owner ping of a failed job says that it failed', { tags: ['breadth'] }, async () => {
    const { discord, gateway, clock } = await startFastClockBot();
    gateway.faults.add({ do: 'fail' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    clock.advance(2 * minute);
    await exchange.message(says('This task failed'));
    await waitUntilIdle(discord);
    expect(pings(discord).map(text)).toEqual([`<@${discord.world.user('member').id}>, your task failed.`]);
  });
});

describe('The owner ping of a job', { tags: ['breadth'] }, () => {
  it('A job of less than a minute pings no one', async () => {
    const { discord, clock } = await startFastClockBot({ gateway: { speed: 20 } });
    clock.stop();
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await advanceUntil(clock, () => discord.messages('studio').some(says('Finished in')));
    await waitUntilIdle(discord);
    expect(pings(discord)).toEqual([]);
    expect(discord.messages('studio').filter(says('<@'))).toHaveLength(1);
  });

  it('The owner ping of a job that the gateway has lost says that the outcome is unknown', async () => {
    const { discord, gateway, clock } = await startFastClockBot();
    gateway.faults.add({
      on: { path: /\/fetch$/ },
      do: { type: 'status', status: 404, code: 'task_not_exist', message: 'task_not_exist' },
      times: 1_000,
    });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect.poll(() => gateway.requests.filter(({ path }) => path.endsWith('/fetch')).length).toBeGreaterThan(3);
    clock.advance(6 * minute);
    await exchange.message(says('no longer has this task'));
    await waitUntilIdle(discord);
    expect(pings(discord).map(text)).toEqual([
      expect.stringContaining('we couldn’t confirm what happened to your task'),
    ]);
  });

  it('A private job pings no one and is visible to no one else, regardless of its duration', async () => {
    const { discord, clock } = await startFastClockBot();
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a secret', private: true });
    await exchange.message(says('%'));
    clock.advance(5 * minute);
    await exchange.message(says('Finished in'));
    await waitUntilIdle(discord);
    expect(pings(discord)).toEqual([]);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('A job pings its owner once, regardless of the number of restarts', async () => {
    const fixture = await createFastClockFixture();
    const { discord, clock } = fixture;
    let app = await startBot(fixture);
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    await app.stop();
    clock.advance(20 * minute);
    for (let starts = 0; starts < 4; starts++) {
      app = await startBot(fixture);
      await discord.until(() => discord.messages('studio').find(says('Finished in')));
      // A ping that a stop interrupts is repeated only for two minutes, which the restarts can take on the fast clock.
      clock.stop();
      await app.stop();
    }
    await startBot(fixture);
    await waitUntilIdle(discord);
    expect(pings(discord)).toHaveLength(1);
    expect(discord.messages('studio').filter(says('Finished in'))).toHaveLength(1);
  });

  it('A job pings its owner only once even if Discord’s responses to the ping are lost', async () => {
    const { discord, clock } = await startFastClockBot();
    discord.faults.add({
      on: { method: 'POST', route: '/channels/:channel/messages' },
      do: { type: 'reset', done: true },
      times: 3,
    });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    clock.advance(2 * minute);
    await exchange.message(says('Finished in'));
    // The ping is repeated only for two minutes.
    clock.stop();
    const attempts = () =>
      discord.requests.filter(({ method, path }) => method === 'POST' && /\/channels\/\d+\/messages$/.test(path));
    await advanceUntil(clock, () => attempts().length === 4);
    await waitUntilIdle(discord);
    expect(pings(discord)).toHaveLength(1);
  });
});
