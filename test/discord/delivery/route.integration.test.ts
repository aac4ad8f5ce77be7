import { PermissionFlagsBits as Permission } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { createFixture, fixtureWithOrder, minutes } from './integration-fixture.ts';

describe('The route to a member', () => {
  it('The route to a member contains the token for 15 minutes and the facts of the interaction payload', async () => {
    const { task, exchange, clock, discord } = await fixtureWithOrder();
    expect(task.route).toEqual({
      applicationId: discord.applicationId,
      interactionId: exchange.id,
      token: exchange.token,
      tokenExpiresAt: clock.now() + minutes(15),
      isPrivate: false,
      install: 'guild',
      mayPost: true,
      maySpeak: true,
      uploadLimit: 10 * 1024 * 1024,
      locale: 'en-US',
    });
  });

  it.each([
    ['a server where the bot is installed', { in: 'studio' }, true],
    ['a thread in a server where the bot is installed', { in: 'thread' }, true],
    ['a channel where the bot is not allowed to write', { in: 'read-only' }, false],
    ['a server where only the member has installed the bot', { by: 'installer' }, false],
    ['a group message', { by: 'installer', in: 'friends' }, false],
    ['a direct message with the bot', { in: 'dm' }, true],
    ['a direct message between the bot and a member who has installed it', { by: 'installer', in: 'dm' }, true],
  ] as const)(
    'The route to a member records for %s whether the bot itself may post there',
    async (_, order, mayPost) => {
      expect((await fixtureWithOrder({ order })).task.route.mayPost).toBe(mayPost);
    },
  );

  it.each([Permission.AttachFiles, Permission.ViewChannel])(
    'The route to a member does not allow posts without the permission %i',
    async (missing) => {
      const { deny, order } = await createFixture();
      deny(missing);
      expect((await order()).task.route.mayPost).toBe(false);
    },
  );

  it('The route to a member allows posts in a thread of a channel where the bot cannot post, because the payload does not show the difference', async () => {
    const { deny, order } = await createFixture();
    deny(Permission.SendMessages);
    expect((await order({ in: 'thread' })).task.route.mayPost).toBe(true);
  });
});
