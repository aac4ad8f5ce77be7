import { DiscordAPIError, type Interaction, MessageFlags } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { DiscordOptions } from '../../../sandbox/discord/discord.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

const modelsCommand = { name: 'models', description: 'What there is' };

async function startBot(handle: (interaction: Interaction) => Promise<unknown>, options: DiscordOptions = {}) {
  const { discord, clock } = await startFixture(options);
  const client = await startClient(discord);
  await client.application.commands.set([modelsCommand]);
  return { discord, clock, client, problems: handleInteractions(client, handle), member: discord.as('member') };
}

/** Creates a promise that a test resolves by opening the gate. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

const codeOf = (problem: unknown) => (problem instanceof DiscordAPIError ? problem.code : problem);

describe('The acknowledgement deadline', () => {
  it('After three seconds, the user sees that the application did not respond', async () => {
    const { passed, open } = gate();
    const { discord, clock, problems, member } = await startBot(async (interaction) => {
      await passed;
      if (interaction.isChatInputCommand()) await interaction.reply('late');
    });
    const exchange = await member.slash('models');
    const acknowledged = exchange.acknowledged();
    clock.advance(2_999);
    clock.advance(1);
    await expect(acknowledged).rejects.toThrow('The application did not respond');
    open();
    await discord.until(() => discord.requests.find(({ status }) => status === 404));
    await expect.poll(() => problems.map(codeOf)).toEqual([10062]);
  });

  it('A response within three seconds is accepted', async () => {
    const { passed, open } = gate();
    const { clock, member } = await startBot(async (interaction) => {
      await passed;
      if (interaction.isChatInputCommand()) await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    });
    const exchange = await member.slash('models');
    clock.advance(2_999);
    open();
    expect(await exchange.acknowledged()).toEqual({ type: 5, ephemeral: true, afterMs: 2_999 });
  });
});

describe('An acknowledgement', () => {
  it('An interaction can be acknowledged only once', async () => {
    const codes: unknown[] = [];
    const { member } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.reply('one');
      const { id, token, client } = interaction;
      const body = { type: 4, data: { content: 'two' } };
      await client.rest
        .post(`/interactions/${id}/${token}/callback`, { body, auth: false })
        .catch((problem: unknown) => codes.push(codeOf(problem)));
      await interaction.editReply('done');
    });
    await (await member.slash('models')).message(({ content }) => content === 'done');
    expect(codes).toEqual([40060]);
  });

  it('An acknowledgement must match the type of its interaction', async () => {
    const { member, problems, discord } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const { id, token, client } = interaction;
      await client.rest.post(`/interactions/${id}/${token}/callback`, { body: { type: 6 }, auth: false });
    });
    await member.slash('models');
    await expect.poll(() => problems.map(codeOf)).toEqual([50035]);
    expect(discord.violations).toMatchObject([{ route: '/interactions/:interaction/:token/callback', path: 'type' }]);
  });

  it('An acknowledgement of an unknown interaction is refused', async () => {
    const { client, discord } = await startBot(async () => undefined);
    const { id, token } = await discord.as('member').slash('models');
    const post = (path: `/${string}`) => client.rest.post(path, { body: { type: 5 }, auth: false }).catch(codeOf);
    expect(await post(`/interactions/${id}/wrong/callback`)).toBe(10062);
    expect(await post(`/interactions/12345678901234567/${token}/callback`)).toBe(10062);
  });
});

describe('An interaction token', () => {
  const replyAfter = (passed: Promise<void>) => async (interaction: Interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    await passed;
    await interaction.editReply('done');
  };

  it('An interaction token is valid for 15 minutes', async () => {
    const { passed, open } = gate();
    const { clock, problems, member } = await startBot(replyAfter(passed));
    const exchange = await member.slash('models');
    await exchange.acknowledged();
    clock.advance(15 * 60 * 1_000 - 1);
    open();
    expect((await exchange.message()).content).toBe('done');
    expect(problems).toEqual([]);
  });

  it('After 15 minutes only the bot token is valid', async () => {
    const { passed, open } = gate();
    const { clock, problems, member, client } = await startBot(replyAfter(passed));
    await (await member.slash('models')).acknowledged();
    clock.advance(15 * 60 * 1_000);
    open();
    await expect.poll(() => problems.map(codeOf)).toEqual([50027]);
    await client.application.fetch();
  });

  it('A test can expire a token, and a token cannot be used as a webhook before the acknowledgement', async () => {
    const { passed, open } = gate();
    const { discord, problems, member, client } = await startBot(replyAfter(passed));
    const exchange = await member.slash('models');
    await exchange.acknowledged();
    discord.expireTokens();
    open();
    await expect.poll(() => problems.map(codeOf)).toEqual([50027]);
    discord.faults.add({
      on: { route: '/interactions/:interaction/:token/callback' },
      do: { type: 'status', status: 404, code: 10062 },
    });
    const { token } = await member.slash('models');
    const earlyRequest = client.rest.get(`/webhooks/${discord.applicationId}/${token}/messages/@original`, {
      auth: false,
    });
    expect(await earlyRequest.catch(codeOf)).toBe(10015);
  });
});

describe('An ephemeral response', () => {
  it('An ephemeral response is visible only to its user and is not part of the channel', async () => {
    const { member, discord, client } = await startBot(async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply({ content: 'hush', flags: MessageFlags.Ephemeral });
    });
    const message = await (await member.slash('models')).message();
    expect(message.ephemeral).toBe(true);
    await expect(discord.as('other').click(message, 'x')).rejects.toThrow(/cannot see/);
    const edit = client.rest.patch(`/channels/${message.channel_id}/messages/${message.id}`, {
      body: { content: 'x' },
    });
    expect(await edit.catch(codeOf)).toBe(10008);
  });
});
