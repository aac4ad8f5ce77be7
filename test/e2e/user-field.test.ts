import { expect, it } from 'vitest';
import { models } from './asks/fixture.ts';
import { describeProfiles } from './profiles.ts';
import { says, startFastClockBot } from './quick.ts';

const isOrder = (path: string): boolean => /\/submit\/|generations\/jobs$|\/v1\/responses$|\/videos$/.test(path);

describeProfiles('The pseudonym of a member', (profile) => {
  const start = async (settings: Record<string, string>) => {
    const fixture = await startFastClockBot({
      gateway: { profile, speed: 20 },
      settings: { ...models, DEFAULT_VIDEO_MODEL: 'reel-2', DEFAULT_IMAGE_MODEL: 'lumen-image-1', ...settings },
    });
    const users = (): unknown[] =>
      fixture.gateway.requests
        .filter(({ path, method }) => method === 'POST' && isOrder(path))
        .map(({ body }) => (body as { user?: unknown }).user);
    return { ...fixture, users };
  };

  it('Each request contains its owner’s pseudonym, which is always the same and is not their ID', async () => {
    const { discord, users } = await start({ GATEWAY_USER_FIELD: 'user' });
    const member = discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    await (await member.slash('image', { prompt: 'a fox' })).message(says('Finished in'));
    await (await member.slash('video', { prompt: 'waves', endpoint: 'videos' })).message(says('Finished in'));
    await (await member.slash('ask', { prompt: 'what is snow?' })).message();
    await expect.poll(() => users().length).toBe(4);
    expect(new Set(users()).size).toBe(1);
    expect(users()[0]).toMatch(/^atelier-[0-9a-f]{24}$/);
    await (await discord.as('other').slash('imagine', { prompt: 'a hare' })).message(says('Finished in'));
    expect(new Set(users()).size).toBe(2);
    expect(JSON.stringify(users())).not.toContain(discord.world.user('member').id);
  });

  it('Without GATEWAY_USER_FIELD, no pseudonym is sent', async () => {
    const { discord, users } = await start({});
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    expect(users()).toEqual([undefined]);
  });
});
