import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { createTemporaryFolder } from '../../services/store/store-fixture.ts';
import { noLimits } from '../../support/no-limits.ts';
import { hasEnded, latestAnswer, modelRequests } from '../asks/fixture.ts';
import { applyRules, replySaying, replyTo, startMentionBot, toBot } from './fixture.ts';

it('A refused mention gets a neutral reply, and only its author can read why', async () => {
  const { discord, gateway } = await startMentionBot();
  await applyRules(discord, { words: [{ text: 'casino' }] });
  const question = await discord.as('member').say(toBot(discord, 'where is the casino?'));
  const reply = await replySaying(discord, 'studio', question, 'This question was not answered');
  expect(text(reply)).not.toContain('blocked');
  const why = await (await discord.as('member').click(reply, 'Show why')).message();
  expect([why.ephemeral, text(why)]).toEqual([true, expect.stringContaining('a word or phrase that is blocked')]);
  const toOthers = await (await discord.as('other').click(reply, 'Show why')).message();
  expect([toOthers.ephemeral, text(toOthers)]).toEqual([true, expect.stringContaining('Only the member who asked')]);
  expect(modelRequests(gateway)).toHaveLength(0);
});

it('The author of a refused mention can delete the reply, after which an edit is not answered', async () => {
  const { discord, gateway } = await startMentionBot();
  await applyRules(discord, { words: [{ text: 'casino' }] });
  const member = discord.as('member');
  const question = await member.say(toBot(discord, 'where is the casino?'));
  const reply = await replySaying(discord, 'studio', question, 'This question was not answered');
  const toOthers = await (await discord.as('other').click(reply, 'Delete')).followUp();
  expect([toOthers.ephemeral, text(toOthers)]).toEqual([true, expect.stringContaining('Only the member who')]);
  const isThere = () => discord.messages('studio').some(({ id }) => id === reply.id);
  expect(isThere()).toBe(true);
  await member.click(reply, 'Delete');
  await expect.poll(isThere).toBe(false);
  await member.edit(question, toBot(discord, 'where is the opera?'));
  // A later question is answered after the edit has been read.
  const next = await member.say(toBot(discord, 'what is snow?'));
  await replyTo(discord, 'studio', next);
  expect(modelRequests(gateway)).toHaveLength(1);
});

it('A refused direct message is told why, because only its author reads it', async () => {
  const { discord } = await startMentionBot({ ASK_AT_ONCE: '1' });
  const member = discord.as('member').in('dm');
  const file = { name: 'broken.bin', bytes: Buffer.from([0, 1, 2, 255, 254]), contentType: 'application/octet-stream' };
  const question = await member.say('what is this?', [file]);
  await replySaying(
    discord,
    member.channel.id,
    question,
    'is neither a PDF nor a readable text file. Save it as UTF-8 text or PDF.',
  );
});

it('An edit of a refused question is another try', async () => {
  const { discord, gateway } = await startMentionBot();
  await applyRules(discord, { words: [{ text: 'casino' }] });
  const member = discord.as('member');
  const question = await member.say(toBot(discord, 'where is the casino?'));
  await replySaying(discord, 'studio', question, 'This question was not answered');
  await member.edit(question, toBot(discord, 'where is the opera?'));
  expect(text(await replyTo(discord, 'studio', question))).toContain(latestAnswer(gateway));
  expect(modelRequests(gateway)).toHaveLength(1);
});

describe('A question with a price that has to be confirmed', () => {
  const startWithPrice = async () => {
    const prices = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(prices, JSON.stringify({ ask: { perMillion: { input: '1000', output: '1000' } } }));
    const fixture = await startMentionBot({ ...noLimits, PRICES: prices });
    const { discord } = fixture;
    await (await discord.as('admin').slash('budget set', { confirm_above: '1' })).message();
    const question = await discord.as('member').say(toBot(discord, 'what is snow?'));
    const reply = await replySaying(discord, 'studio', question, 'This question has a price');
    return { ...fixture, question, reply, member: discord.as('member') };
  };

  it('The price is shown to the author only, and the answer appears in the public reply', async () => {
    const { discord, gateway, question, reply, member } = await startWithPrice();
    expect(text(reply)).not.toContain('$');
    const toOthers = await (await discord.as('other').click(reply, 'Show price')).message();
    expect([toOthers.ephemeral, text(toOthers)]).toEqual([true, expect.stringContaining('Only the member')]);
    const price = await (await member.click(reply, 'Show price')).message();
    expect([price.ephemeral, text(price)]).toEqual([true, expect.stringContaining('Estimated cost: at most $')]);
    expect(modelRequests(gateway)).toHaveLength(0);
    await member.click(price, 'Run');
    const answer = await replyTo(discord, 'studio', question);
    expect([answer.id, answer.ephemeral]).toEqual([reply.id, false]);
    expect(text(answer)).toContain(latestAnswer(gateway));
    expect(modelRequests(gateway)).toHaveLength(1);
  });

  it('Cancel removes the reply, and an edit asks again for what is edited', async () => {
    const { discord, gateway, question, reply, member } = await startWithPrice();
    await member.edit(question, toBot(discord, 'what is hail?'));
    const price = await discord.until(() => {
      const found = discord.messages('studio').find(({ id }) => id === reply.id);
      return found && JSON.stringify(found.components) !== JSON.stringify(reply.components) ? found : undefined;
    });
    const shown = await (await member.click(price, 'Show price')).message();
    expect(text(shown)).toContain('what is hail?');
    await member.click(shown, 'Cancel');
    await discord.until(() => !discord.messages('studio').some(({ id }) => id === reply.id) || undefined);
    expect(modelRequests(gateway)).toHaveLength(0);
  });

  it('Delete removes the reply with the price, for the author only', async () => {
    const { discord, gateway, reply, member } = await startWithPrice();
    const toOthers = await (await discord.as('other').click(reply, 'Delete')).followUp();
    expect(text(toOthers)).toContain('Only the member');
    await member.click(reply, 'Delete');
    await discord.until(() => !discord.messages('studio').some(({ id }) => id === reply.id) || undefined);
    expect(modelRequests(gateway)).toHaveLength(0);
  });

  it('If the question is deleted, nothing can be confirmed any more', async () => {
    const { discord, gateway, question, reply, member } = await startWithPrice();
    const price = await (await member.click(reply, 'Show price')).message();
    await member.remove(question);
    await replySaying(discord, 'studio', question, 'This question was deleted');
    expect(text(await (await member.click(price, 'Run')).followUp())).toContain('changed, answered or deleted');
    expect(discord.messages('studio').filter(hasEnded)).toHaveLength(0);
    expect(modelRequests(gateway)).toHaveLength(0);
  });
});
