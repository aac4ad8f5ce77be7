import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, pollCount, says, spoilersOf, startFastClockBot, submitCount } from '../quick.ts';

describeProfiles('A job', (profile) => {
  it('A job is acknowledged, submitted once, shown with its progress and delivered with its image', async () => {
    const { discord, gateway, app } = await startFastClockBot({ gateway: { profile } });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox in the *snow*' });
    expect(await exchange.acknowledged()).toMatchObject({ ephemeral: false });
    const progressMessage = await exchange.message(says('%'));
    expect(text(progressMessage)).toContain('a fox in the \\*snow\\*');
    const final = await exchange.message(says('Finished in'));
    expect(final.id).toBe(progressMessage.id);
    expect(final.attachments).toHaveLength(1);
    expect(final.attachments[0]).toMatchObject({
      content_type: 'image/png',
      description: 'AI-generated: a fox in the *snow*',
    });
    expect(labels(final)).toEqual([
      'U1',
      'U2',
      'U3',
      'U4',
      'V1',
      'V2',
      'V3',
      'V4',
      'Upscale all',
      'Use as reference',
      'Delete',
    ]);
    expect(submitCount(gateway)).toBe(1);
    expect(pollCount(gateway)).toBeGreaterThan(1);
    await app.stop();
    expect(discord.rateLimitHits).toEqual([]);
  });

  it('A job is polled right after its submit and not after its end', async () => {
    const { discord, gateway, clock } = await startFastClockBot({ gateway: { profile, speed: 20 } });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const [submit, query] = gateway.requests.filter(({ path }) => /submit|fetch/.test(path));
    expect(submit?.path).toContain('/submit/imagine');
    expect(query?.path).toMatch(/\/fetch$/);
    const pollsBefore = pollCount(gateway);
    clock.advance(60_000);
    await (await discord.as('member').slash('help')).message();
    expect(pollCount(gateway)).toBe(pollsBefore);
  });

  it('A failed job shows the reason given by the gateway', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { profile, speed: 20 } });
    gateway.faults.add({ do: 'moderated' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'something' });
    const final = await exchange.message(says('This task failed'));
    expect(text(final)).toContain('rejected by moderation');
    expect(submitCount(gateway)).toBe(1);
  });
});

describe('A private job', () => {
  it('A private job is visible only to its owner, from the first reply to the result', async () => {
    const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a secret', private: true });
    expect(await exchange.acknowledged()).toMatchObject({ ephemeral: true });
    const final = await exchange.message(says('Finished in'));
    expect(final.ephemeral).toBe(true);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });
});

describe('A duplicate order', () => {
  it('Two identical requests within seconds create one task, and the member is told about the duplicate', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 } });
    const member = discord.as('member');
    const [first, second] = await Promise.all([
      member.slash('imagine', { prompt: 'twins' }),
      member.slash('imagine', { prompt: 'twins' }),
    ]);
    const replies = await Promise.all(
      [first, second].map((one) => one.message((m) => /Finished in|just submitted/.test(text(m)))),
    );
    expect(replies.map(text).filter((words) => words.includes('just submitted'))).toHaveLength(1);
    expect(submitCount(gateway)).toBe(1);
  });

  it('Identical orders from two members, or different prompts, create two tasks', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 } });
    const exchanges = await Promise.all([
      discord.as('member').slash('imagine', { prompt: 'twins' }),
      discord.as('other').slash('imagine', { prompt: 'twins' }),
      discord.as('member').slash('imagine', { prompt: 'triplets' }),
    ]);
    await Promise.all(exchanges.map((one) => one.message(says('Finished in'))));
    expect(submitCount(gateway)).toBe(3);
  });
});

describe('The Delete button of a result', () => {
  it('Only the owner of a result and members who manage messages can delete it', async () => {
    const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
    const member = discord.as('member');
    const first = await (await member.slash('imagine', { prompt: 'one' })).message(says('Finished in'));
    const refused = await discord.as('other').click(first, 'Delete');
    expect(text(await refused.followUp())).toContain(
      'Only the member who requested this and members with the Manage Messages permission can delete it.',
    );
    expect(discord.messages('studio').map(({ id }) => id)).toContain(first.id);
    await member.click(first, 'Delete');
    await discord.until(() => (discord.messages('studio').every(({ id }) => id !== first.id) ? true : undefined));
    const second = await (await member.slash('imagine', { prompt: 'two' })).message(says('Finished in'));
    await discord.as('admin').click(second, 'Delete');
    await discord.until(() => (discord.messages('studio').every(({ id }) => id !== second.id) ? true : undefined));
  });
});

it('In a group, which has no moderators, only the owner of a result is named as the one who can delete it', async () => {
  const { discord } = await startFastClockBot({ gateway: { speed: 20 }, settings: { DISCORD_USER_INSTALL: 'on' } });
  const result = await (await discord.as('installer').in('friends').slash('imagine', { prompt: 'one' })).message(
    says('Finished in'),
  );
  discord.world.user('other').hasInstalled = true;
  const refused = await (await discord.as('other').in('friends').click(result, 'Delete')).followUp();
  expect(text(refused)).toContain('Only the member who requested this can do that.');
});

it('A spoiler hides the images and everything made from them', async () => {
  const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
  const member = discord.as('member');
  const exchange = await member.slash('imagine', { prompt: 'the end of the film', spoiler: true });
  const parent = await exchange.message(says('Finished in'));
  const child = await (await member.click(parent, 'U1')).message(says('Finished in'));
  for (const message of [parent, child]) expect(spoilersOf(message)).toEqual([true]);
});
