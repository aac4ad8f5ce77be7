import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import { noLimits } from '../../support/no-limits.ts';
import { itVariants } from '../../support/variants.ts';
import { type FastClockFixture, labels, says, startFastClockBot, submitCount } from '../quick.ts';
import { errorsIn, jobs } from './fixture.ts';

const minute = 60_000;
/** Longer than the time in which an identical order counts as a duplicate. */
const duplicateWindowMs = 5_000;
/** Where members order, and where a public result is posted after the interaction token has expired. */
const scenarios = [
  { channelName: 'studio', requester: 'member', routeAfterExpiry: 'there' },
  { channelName: 'dm', requester: 'member', routeAfterExpiry: 'there' },
  { channelName: 'lobby', requester: 'installer', routeAfterExpiry: 'direct' },
  { channelName: 'friends', requester: 'installer', routeAfterExpiry: 'direct' },
  { channelName: 'dm', requester: 'installer', routeAfterExpiry: 'there' },
] as const;

const endTexts = {
  result: 'Finished in',
  failure: 'This task failed: no reason at all',
} as const;

const startFixture = (gateway: object = {}): ReturnType<typeof startFastClockBot> =>
  startFastClockBot({ gateway: { speed: 20, ...gateway }, settings: { ...noLimits, DISCORD_USER_INSTALL: 'on' } });

/** Starts a job that runs until the test ends it. */
async function startJob(
  fixture: FastClockFixture,
  order: () => Promise<Exchange>,
): Promise<{ exchange: Exchange; message: Message }> {
  fixture.gateway.faults.add({ do: 'stick' });
  const exchange = await order();
  return { exchange, message: await exchange.message(says('%')) };
}

function endJob({ gateway }: FastClockFixture, outcome: keyof typeof endTexts): void {
  const id = jobs(gateway).at(-1)?.id ?? '';
  if (outcome === 'result') gateway.jobs.finish(id);
  else gateway.jobs.fail(id, 'no reason at all');
}

function expireTokens({ clock, discord }: FastClockFixture): void {
  clock.advance(20 * minute);
  discord.expireTokens();
}

/** The channel of notices to the operator, which no other member can read. */
const operatorChannelId = (discord: EmbeddedDiscord): string => discord.openDirectMessage('owner').id;

/** The messages that other members can read, in all channels. */
function messagesVisibleToOthers({ discord }: FastClockFixture, who: string): Message[] {
  const directChannelId = discord.world.directMessage(discord.world.user(who).id)?.id;
  return [...discord.world.channels.keys()]
    .filter((id) => id !== directChannelId && id !== operatorChannelId(discord))
    .flatMap((id) => discord.messages(id).filter(({ ephemeral }) => !ephemeral));
}

/** The bot-token requests for channels that others can read. */
function publicChannelRequests({ discord }: FastClockFixture, who: string): string[] {
  const directChannelId = discord.world.directMessage(discord.world.user(who).id)?.id;
  return discord.requests
    .filter(({ path }) => path.startsWith('/channels/') && !path.startsWith(`/channels/${directChannelId}/`))
    .filter(({ path }) => !path.startsWith(`/channels/${operatorChannelId(discord)}/`))
    .map(({ method, path }) => `${method} ${path}`);
}

/** The messages of tasks, which all have buttons, in the bot's direct messages with a member. */
const directMessages = ({ discord }: FastClockFixture, who: string): readonly Message[] =>
  discord
    .messages(discord.world.directMessage(discord.world.user(who).id)?.id ?? 'dm')
    .filter((message) => labels(message).length > 0);

const waitForDirectMessage = async (
  fixture: FastClockFixture,
  who: string,
  isExpected: (message: Message) => boolean,
): Promise<Message> =>
  fixture.discord.until(() => directMessages(fixture, who).find((one) => !one.ephemeral && isExpected(one)));

async function waitUntilIdle({ discord }: FastClockFixture): Promise<void> {
  await expect
    .poll(async () => text(await (await discord.as('other').slash('about')).message()))
    .toContain('Tasks in progress: 0');
}

describe('The routes of results', () => {
  const ends = (Object.keys(endTexts) as (keyof typeof endTexts)[]).flatMap((outcome) =>
    (['before', 'after'] as const).map((when) => ({ outcome, when, prompt: `a fox ${outcome} ${when}` })),
  );

  itVariants(scenarios)(
    'The end of a public job that $requester orders in $channelName is delivered once, before and after its interaction token has expired',
    async ({ channelName, requester, routeAfterExpiry }) => {
      const fixture = await startFixture();
      const actor = fixture.discord.as(requester).in(channelName);
      for (const { outcome, when, prompt } of ends) {
        const { exchange, message } = await startJob(fixture, () => actor.slash('imagine', { prompt }));
        if (when === 'after') expireTokens(fixture);
        endJob(fixture, outcome);
        const isMoved = when === 'after' && routeAfterExpiry === 'direct';
        const hasEnded = (one: Message): boolean => says(endTexts[outcome])(one) && says(prompt)(one);
        const final = isMoved
          ? await waitForDirectMessage(fixture, requester, hasEnded)
          : await exchange.message(hasEnded);
        expect(final.id === message.id, prompt).toBe(!isMoved);
        expect(final.attachments, prompt).toHaveLength(outcome === 'result' ? 1 : 0);
        expect(labels(final), prompt).toContain(outcome === 'result' ? 'U1' : 'Retry');
        await waitUntilIdle(fixture);
        const inChannel = fixture.discord.messages(actor.channel.id).filter(hasEnded);
        expect(inChannel.length + (isMoved ? 1 : 0), prompt).toBe(1);
      }
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  itVariants(scenarios)(
    'The end of a private job that $requester orders in $channelName is visible only to its owner, before and after its interaction token has expired',
    async ({ channelName, requester }) => {
      const fixture = await startFixture();
      const actor = fixture.discord.as(requester).in(channelName);
      for (const { outcome, when, prompt } of ends) {
        const options = { prompt: `a secret: ${prompt}`, private: true };
        const { exchange, message } = await startJob(fixture, () => actor.slash('imagine', options));
        if (when === 'after') expireTokens(fixture);
        endJob(fixture, outcome);
        const hasEnded = (one: Message): boolean => says(endTexts[outcome])(one) && says(prompt)(one);
        const final =
          when === 'after'
            ? await waitForDirectMessage(fixture, requester, hasEnded)
            : await exchange.message(hasEnded);
        expect(final.id === message.id, prompt).toBe(when === 'before');
        expect(final.attachments, prompt).toHaveLength(outcome === 'result' ? 1 : 0);
        await waitUntilIdle(fixture);
      }
      expect(messagesVisibleToOthers(fixture, requester).filter((one) => !says('Tasks in progress')(one))).toEqual([]);
      expect(publicChannelRequests(fixture, requester)).toEqual([]);
      expect(fixture.logged()).not.toContain('a secret');
      expect(errorsIn(fixture)).toEqual([]);
    },
  );
});

describe('The follow-ups of a private result', () => {
  /** Requests a private grid in the studio channel. */
  async function orderPrivateGrid(fixture: FastClockFixture): Promise<Message> {
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a secret', private: true });
    return exchange.message(says('Finished in'));
  }

  it('All follow-ups of a private result are private: upscales, forms, failures, retries, refusals and unknown outcomes', async () => {
    const fixture = await startFixture();
    const member = fixture.discord.as('member');
    const parent = await orderPrivateGrid(fixture);
    await member.click(await (await member.click(parent, 'Upscale all')).message(), 'Run all 4');
    const upscales = () =>
      fixture.discord.messages('studio').filter((one) => says('Upscale')(one) && says('Finished')(one));
    await expect.poll(upscales).toHaveLength(4);

    const [upscaled] = upscales();
    const form = await (await member.click({ id: upscaled?.id ?? '' }, 'Custom Zoom')).modal();
    await (await member.fill(form, { words: 'a wider secret --zoom 2' })).message(says('Finished in'));

    fixture.gateway.faults.add({ do: 'moderated' });
    const failed = await (await member.click(parent, 'V1')).message(says('This task failed'));
    fixture.clock.advance(duplicateWindowMs);
    await (await member.click(failed, 'Retry')).message(says('Finished in'));

    fixture.gateway.faults.add({ on: { path: /\/submit\// }, do: 'quota' });
    await (await member.click(parent, 'V2')).message(says('used up'));
    // New images are refused for two minutes.
    fixture.clock.advance(180_000);

    fixture.gateway.faults.add({ on: { path: /\/submit\// }, do: 'accepted-then-reset' });
    const unconfirmed = await (await member.click(parent, 'V3')).message(says('couldn’t confirm'));
    await member.click(unconfirmed, 'Try again (may be charged twice)');
    await fixture.discord.until(() =>
      fixture.discord.messages('studio').find((m) => m.id === unconfirmed.id && says('Finished in')(m)),
    );

    await waitUntilIdle(fixture);
    expect(messagesVisibleToOthers(fixture, 'member').filter((one) => !says('Tasks in progress')(one))).toEqual([]);
    // The notice to the operator only names the kind.
    const notices = fixture.discord.messages(operatorChannelId(fixture.discord));
    expect(notices.filter(says('no credit left'))).toHaveLength(1);
    expect(notices.filter(says('secret'))).toEqual([]);
    expect(publicChannelRequests(fixture, 'member')).toEqual([]);
    expect(fixture.logged()).not.toContain('secret');
  });

  it('After the interaction token has expired, a private result is sent as a direct message, whose buttons still work', async () => {
    const fixture = await startFixture();
    const member = fixture.discord.as('member');
    const parent = await orderPrivateGrid(fixture);
    const { message } = await startJob(fixture, () => member.click(parent, 'U1'));
    expireTokens(fixture);
    endJob(fixture, 'result');
    const upscaled = await waitForDirectMessage(fixture, 'member', says('Upscale of image 1'));
    expect(upscaled.id).not.toBe(message.id);
    const zoomed = await startJob(fixture, () => member.click(upscaled, 'Zoom Out 2x'));
    expireTokens(fixture);
    endJob(fixture, 'result');
    const final = await zoomed.exchange.message(says('Finished in'));
    expect(final.id).toBe(zoomed.message.id);
    expect(directMessages(fixture, 'member').map(({ id }) => id)).toEqual([upscaled.id, final.id]);
    await member.click(final, 'Delete');
    await fixture.discord.until(() => (directMessages(fixture, 'member').length === 1 ? true : undefined));
    await waitUntilIdle(fixture);
    expect(messagesVisibleToOthers(fixture, 'member').filter((one) => !says('Tasks in progress')(one))).toEqual([]);
    expect(publicChannelRequests(fixture, 'member')).toEqual([]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('After the interaction token has expired, each of the four results of Upscale all arrives once, as a direct message', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const parent = await orderPrivateGrid(fixture);
    fixture.gateway.faults.add({ do: 'stick', times: 4 });
    const member = fixture.discord.as('member');
    await member.click(await (await member.click(parent, 'Upscale all')).message(), 'Run all 4');
    await expect.poll(() => submitCount(fixture.gateway)).toBe(5);
    expireTokens(fixture);
    for (const { id } of jobs(fixture.gateway).slice(1)) fixture.gateway.jobs.finish(id);
    await expect
      .poll(() => directMessages(fixture, 'member').map(({ attachments }) => attachments.length))
      .toEqual([1, 1, 1, 1]);
    await waitUntilIdle(fixture);
    expect(directMessages(fixture, 'member')).toHaveLength(4);
    expect(messagesVisibleToOthers(fixture, 'member').filter((one) => !says('Tasks in progress')(one))).toEqual([]);
    expect(publicChannelRequests(fixture, 'member')).toEqual([]);
  });
});

describe('A retry in direct messages', { tags: ['breadth'] }, () => {
  it('A retry in direct messages links to the original message of its parent task', async () => {
    const fixture = await startFixture();
    const installer = fixture.discord.as('installer');
    const parent = await (await installer.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    await startJob(fixture, () => installer.click(parent, 'U1'));
    expireTokens(fixture);
    endJob(fixture, 'failure');
    const failed = await waitForDirectMessage(fixture, 'installer', says('This task failed'));
    const second = await (await installer.click(failed, 'Retry')).message(says('Finished in'));
    const { guildId, id } = fixture.discord.world.channel('lobby');
    expect(text(second)).toContain(`[source](https://discord.com/channels/${guildId}/${id}/${parent.id})`);
  });
});

describe('A bot that has lost access to the channel', () => {
  type World = FastClockFixture['discord']['world'];
  const denyPermissions =
    (deny: bigint) =>
    (world: World): void => {
      world.channel('studio').overwrites.push({ id: world.bot.id, kind: 'member', allow: 0n, deny });
    };
  const accessLosses: [string, (world: World) => void][] = [
    ['it is not allowed to view the channel', denyPermissions(Permission.ViewChannel)],
    ['it is not allowed to attach files', denyPermissions(Permission.AttachFiles)],
    ['the channel was deleted', (world) => void world.channels.delete(world.channel('studio').id)],
    [
      'it was removed from the server',
      (world) => {
        world.guild('atelier').installed = false;
      },
    ],
  ];

  itVariants(accessLosses.slice(0, 2))(
    'A result is still delivered with the interaction token while it is valid (%s)',
    async (_, loseAccess) => {
      const fixture = await startFixture();
      const { exchange, message } = await startJob(fixture, () =>
        fixture.discord.as('member').slash('imagine', { prompt: 'a fox' }),
      );
      loseAccess(fixture.discord.world);
      endJob(fixture, 'result');
      const final = await exchange.message(says('Finished in'));
      expect(final.id).toBe(message.id);
      expect(final.attachments).toHaveLength(1);
      expect(directMessages(fixture, 'member')).toEqual([]);
    },
  );

  itVariants(accessLosses)(
    'After the interaction token has expired, a result is sent once as a direct message, and no refused request is repeated (%s)',
    async (_, loseAccess) => {
      const fixture = await startFixture();
      await startJob(fixture, () => fixture.discord.as('member').slash('imagine', { prompt: 'a fox' }));
      loseAccess(fixture.discord.world);
      expireTokens(fixture);
      endJob(fixture, 'result');
      const final = await waitForDirectMessage(fixture, 'member', says('Finished in'));
      expect(final.attachments).toHaveLength(1);
      await expect
        .poll(() => fixture.discord.requests.findLast(({ path }) => path.startsWith('/channels/'))?.status)
        .toBe(200);
      const refused = fixture.discord.requests
        .filter(({ status, path }) => status >= 400 && path.startsWith('/channels/'))
        .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body).includes('Finished in')}`);
      expect(new Set(refused).size).toBe(refused.length);
      expect(directMessages(fixture, 'member')).toHaveLength(1);
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  it('If the bot can still see the channel, a failure, which needs no file, is shown in the original message', async () => {
    const fixture = await startFixture();
    const { message, exchange } = await startJob(fixture, () =>
      fixture.discord.as('member').slash('imagine', { prompt: 'a fox' }),
    );
    denyPermissions(Permission.SendMessages | Permission.AttachFiles)(fixture.discord.world);
    expireTokens(fixture);
    endJob(fixture, 'failure');
    expect((await exchange.message(says('This task failed'))).id).toBe(message.id);
    expect(directMessages(fixture, 'member')).toEqual([]);
  });

  it('If the bot has lost access to the channel and the member accepts no direct messages, the delivery ends without an error in the log', async () => {
    const fixture = await startFixture();
    await startJob(fixture, () => fixture.discord.as('member').slash('imagine', { prompt: 'a fox' }));
    denyPermissions(Permission.ViewChannel)(fixture.discord.world);
    fixture.discord.world.user('member').directMessages = 'refused';
    expireTokens(fixture);
    endJob(fixture, 'result');
    await expect
      .poll(async () => text(await (await fixture.discord.as('other').in('hall').slash('about')).message()))
      .toContain('Tasks in progress: 0');
    expect(directMessages(fixture, 'member')).toEqual([]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A button of an older result still works: its result arrives in the channel while the interaction token is valid, and later as a direct message', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const member = fixture.discord.as('member');
    const parent = await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    denyPermissions(Permission.SendMessages | Permission.AttachFiles)(fixture.discord.world);
    await (await member.click(parent, 'U1')).message(says('Finished in'));
    await startJob(fixture, () => member.click(parent, 'U2'));
    expireTokens(fixture);
    endJob(fixture, 'result');
    expect((await waitForDirectMessage(fixture, 'member', says('Upscale of image 2'))).attachments).toHaveLength(1);
  });
});
