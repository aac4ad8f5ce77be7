import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { sql } from '../../services/store/store-fixture.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, messagesWith, pollCount, says, startFastClockBot, submitCount } from '../quick.ts';

const minute = 60_000;

describe('A stored task that a new version cannot read', () => {
  it('The bot starts despite an unreadable task, which is reported to its owner once and no longer polled', async () => {
    const fixture = await createFastClockFixture();
    const { discord, gateway, config } = fixture;
    const app = await startBot(fixture);
    const member = discord.as('member');
    const exchange = await member.slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    await app.stop();
    const file = config.store.url.slice('sqlite://'.length);
    sql(
      file,
      'UPDATE atelier SET value = replace(value, \'"prompt":"a fox"\', \'"prompt":7\') WHERE namespace = \'live\'',
    );
    const requestCount = pollCount(gateway);

    const restartedApp = await startBot(fixture);
    const { channel } = member.in('dm');
    const reports = () => messagesWith(discord, channel.id, 'One of your tasks cannot be read');
    await discord.until(() => reports()[0]);
    await restartedApp.stop();
    const secondRestart = await startBot(fixture);
    // A report from the second start would have arrived by then.
    await secondRestart.stop();
    expect(reports()).toHaveLength(1);
    expect(pollCount(gateway)).toBe(requestCount);
    expect(submitCount(gateway)).toBe(1);
  });
});

describe('A restart while jobs are running', () => {
  it('After a restart, a job is shown in the same message until its end', async () => {
    const fixture = await createFastClockFixture();
    const { discord, gateway } = fixture;
    const app = await startBot(fixture);
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const progressMessage = await exchange.message(says('%'));
    await app.stop();
    await startBot(fixture);
    const final = await exchange.message(says('Finished in'));
    expect(final.id).toBe(progressMessage.id);
    expect(submitCount(gateway)).toBe(1);
  });

  it('A job that ended during the downtime is delivered once, with the bot token if the interaction token has expired', async () => {
    const fixture = await createFastClockFixture();
    const { discord, gateway, clock } = fixture;
    const app = await startBot(fixture);
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const progressMessage = await exchange.message(says('%'));
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    const restartedApp = await startBot(fixture);
    const final = await discord.until(() => messagesWith(discord, 'studio', 'Finished in')[0]);
    expect(final.id).toBe(progressMessage.id);
    expect(final.attachments).toHaveLength(1);
    await restartedApp.stop();
    const channel = discord.world.channel('studio').id;
    const editCount = () =>
      discord.requests.filter(({ method, path }) => method === 'PATCH' && path.includes(channel)).length;
    const countBefore = editCount();
    await (await startBot(fixture)).stop();
    expect(editCount()).toBe(countBefore);
    expect(countBefore).toBeGreaterThan(0);
    expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(1);
    expect(submitCount(gateway)).toBe(1);
  });

  it('A private result is sent as a direct message if the interaction token has expired, and nothing appears in the channel', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture();
    const { discord, clock } = fixture;
    const app = await startBot(fixture);
    const member = discord.as('member');
    const exchange = await member.slash('imagine', { prompt: 'a secret', private: true });
    await exchange.message(says('%'));
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    await startBot(fixture);
    const { channel } = member.in('dm');
    const final = await discord.until(() => messagesWith(discord, channel.id, 'Finished in')[0]);
    expect(text(final)).toContain('a secret');
    expect(final.attachments).toHaveLength(1);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('A private result stays stored if no route leads to its owner', { tags: ['breadth'] }, async () => {
    const fixture = await createFastClockFixture();
    const { discord, clock, logged } = fixture;
    const app = await startBot(fixture);
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a secret', private: true });
    await exchange.message(says('%'));
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    discord.world.user('member').directMessages = 'refused';
    await startBot(fixture);
    await expect
      .poll(async () => text(await (await discord.as('other').slash('about')).message()))
      .toContain('Tasks in progress: 0');
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
    expect(logged()).not.toContain('a secret');
  });

  it('A result is not delivered to a message that was deleted', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot();
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const progressMessage = await exchange.message(says('%'));
    const channel = discord.world.channel('studio');
    await fetch(`${discord.apiUrl}/v10/channels/${channel.id}/messages/${progressMessage.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bot ${discord.token}` },
    });
    await expect
      .poll(async () => text(await (await discord.as('other').slash('about')).message()))
      .toContain('Tasks in progress: 0');
    expect(messagesWith(discord, 'studio', 'Finished in')).toEqual([]);
    expect(submitCount(gateway)).toBe(1);
  });

  it('After a restart, many jobs are polled at staggered times, and each result is delivered once', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ gateway: { studio: singleSceneStudio() } });
    const { discord, gateway } = fixture;
    const app = await startBot(fixture);
    const member = discord.as('member');
    const exchanges = await Promise.all(
      Array.from({ length: 12 }, (_, index) => member.slash('imagine', { prompt: `number ${index}` })),
    );
    await Promise.all(exchanges.map((one) => one.message(says('%'))));
    await app.stop();
    const countBefore = pollCount(gateway);
    await startBot(fixture);
    await Promise.all(exchanges.map((one) => one.message(says('Finished in'))));
    expect(pollCount(gateway)).toBeGreaterThan(countBefore);
    expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(12);
    expect(submitCount(gateway)).toBe(12);
  });
});

describe('Two bots on one store', { tags: ['breadth'] }, () => {
  it('The second bot on a store exits with an error message, and the first one continues', async () => {
    const fixture = await createFastClockFixture();
    const { discord } = fixture;
    await startBot(fixture);
    await expect(startBot(fixture)).rejects.toMatchObject({ name: 'StoreError', kind: 'in-use' });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
  });
});
