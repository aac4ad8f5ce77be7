import { InteractionResponseType as Answer, ButtonStyle, ComponentType } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { MessageChange } from '../../sandbox/discord/stream.ts';
import { describeVariants } from '../support/variants.ts';
import { startTestBot } from './bot.ts';
import { says } from './quick.ts';

const FORGED_IDS = ['a.1.nonsense.0', 'a.9.nonsense', 'unknown.1.x', 'a', 'retryo.1.~', 'show.1.nonsense', 'all.1'];

/** Posts a message as the bot with buttons whose ids the bot never created. */
async function postForgedButtons({ apiUrl, token, messages }: EmbeddedDiscord, channelId: string): Promise<Message> {
  const buttons = FORGED_IDS.map((id) => ({
    type: ComponentType.Button,
    style: ButtonStyle.Primary,
    label: id,
    custom_id: id,
  }));
  const components = [buttons.slice(0, 5), buttons.slice(5)].map((row) => ({
    type: ComponentType.ActionRow,
    components: row,
  }));
  const response = await fetch(`${apiUrl}/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'forged', components }),
  });
  const { id: messageId } = z.object({ id: z.string() }).parse(await response.json());
  const message = messages('studio').find((one) => one.id === messageId);
  if (!message) throw new Error('The message was not posted.');
  return message;
}

const NEUTRAL_TEXT = 'This request failed.';
const editRoute = { method: 'PATCH', route: '/webhooks/:application/:token/messages/:message' };
const followUpRoute = { method: 'POST', route: '/webhooks/:application/:token' };

/** Discord has been seen to both accept and refuse a follow-up after the deletion of the deferred reply. */
describeVariants([true, false])('A refusal (a follow-up after a deletion is accepted: %s)', (followUpAfterDeletion) => {
  const refusingFixture = async () => {
    const fixture = await startTestBot({ discord: { followUpAfterDeletion }, gateway: { speed: 100 } });
    fixture.gateway.faults.add({ on: { path: '/imgx/submit/imagine' }, do: 'quota', times: 9 });
    const publicChanges: string[] = [];
    fixture.discord.listen(({ kind, what }) => {
      if (kind === 'message' && (what as MessageChange).viewer === null) publicChanges.push(JSON.stringify(what));
    });
    return { ...fixture, publicChanges };
  };
  const publicMessages = ({ discord }: Awaited<ReturnType<typeof refusingFixture>>) =>
    discord.messages('studio').filter(({ ephemeral }) => !ephemeral);

  it('After a public acknowledgement, a refusal by the gateway is shown only to the member, and nothing public remains', async () => {
    const fixture = await refusingFixture();
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    const refused = await exchange.ephemeral(says('used up'));
    expect((await exchange.acknowledged()).ephemeral).toBe(false);
    expect(refused.ephemeral).toBe(true);
    expect(text(refused)).toMatch(/^-# Your request: \/imagine a fox\n.*used up/);
    await fixture.discord.until(() => (publicMessages(fixture).length === 0 ? true : undefined));
    const webhookMethods = fixture.discord.requests
      .filter(({ path }) => path.includes('/webhooks/'))
      .map(({ method }) => method);
    expect(webhookMethods.slice(-3)).toEqual(['PATCH', 'POST', 'DELETE']);
    // The refusal was never public, not even for a moment.
    expect(fixture.publicChanges.filter((message) => message.includes('used up'))).toEqual([]);
    expect(fixture.publicChanges.some((message) => message.includes(NEUTRAL_TEXT))).toBe(true);
  });

  it('After a press on a public message, a refusal is shown only to the member who pressed the button', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTestBot({ discord: { followUpAfterDeletion }, gateway: { speed: 100 } });
    const result = await (await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' })).message(
      says('Finished in'),
    );
    fixture.gateway.faults.add({ do: 'quota', times: 9 });
    const press = await fixture.discord.as('other').click(result, 'U1');
    expect((await press.ephemeral(says('used up'))).ephemeral).toBe(true);
    const otherMessages = () =>
      fixture.discord.messages('studio').filter(({ ephemeral, id }) => !ephemeral && id !== result.id);
    await fixture.discord.until(() => (otherMessages().length === 0 ? true : undefined));
  });

  it('A forged or outdated id is refused ephemerally before any acknowledgement', { tags: ['breadth'] }, async () => {
    const fixture = await startTestBot({ discord: { followUpAfterDeletion }, gateway: { speed: 100 } });
    const member = fixture.discord.as('member');
    const result = await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const message = await postForgedButtons(fixture.discord, result.channel_id);
    for (const id of FORGED_IDS) {
      const exchange = await member.click(message, id);
      expect(await exchange.acknowledged()).toMatchObject({ type: Answer.ChannelMessageWithSource, ephemeral: true });
    }
  });

  it('If the private message of a refusal is lost, the public reply is still deleted', async () => {
    const fixture = await refusingFixture();
    fixture.discord.faults.add({ on: followUpRoute, do: { type: 'status', status: 500 } });
    await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await fixture.discord.until(() =>
      fixture.discord.requests.some(({ method, path }) => method === 'DELETE' && path.includes('/webhooks/'))
        ? true
        : undefined,
    );
    await fixture.discord.until(() => (publicMessages(fixture).length === 0 ? true : undefined));
    // The outcome of the follow-up is unknown, so it is not sent again.
    expect(
      fixture.discord.requests.filter(({ method, route }) => method === 'POST' && route === followUpRoute.route),
    ).toHaveLength(1);
  });

  it('If the neutral text cannot be shown, the refusal is not shown in public either', async () => {
    const fixture = await refusingFixture();
    fixture.discord.faults.add({ on: editRoute, do: { type: 'status', status: 403, code: 50013 }, times: 9 });
    await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await fixture.discord.until(() => (publicMessages(fixture).length === 0 ? true : undefined));
    expect(
      fixture.discord.requests.filter(({ method, route }) => method === 'POST' && route === followUpRoute.route),
    ).toEqual([]);
  });

  it('If the deferred reply cannot be deleted, it shows a neutral text', async () => {
    const fixture = await refusingFixture();
    fixture.discord.faults.add({
      on: { ...editRoute, method: 'DELETE' },
      do: { type: 'status', status: 403, code: 50013 },
    });
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.ephemeral(says('used up'));
    expect(publicMessages(fixture).map(text)).toEqual([expect.stringContaining(NEUTRAL_TEXT)]);
  });
});
