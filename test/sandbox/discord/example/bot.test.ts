import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { EmbeddedDiscord } from '../../../../sandbox/discord/discord.ts';
import { startBot } from '../../../../sandbox/discord/example/bot.ts';
import { startFixture } from '../fixture.ts';

let discord: EmbeddedDiscord;
beforeEach(async () => {
  ({ discord } = await startFixture());
  const bot = await startBot(discord.token, discord.apiUrl);
  onTestFinished(() => bot.destroy());
});

it('The example registers its command when it starts', () => {
  expect(discord.commands.global()).toMatchObject([{ name: 'roll', options: [{ name: 'sides', required: true }] }]);
});

it('The example answers a command, and edits its message when the button is pressed', async () => {
  const member = discord.as('member');
  const response = await (await member.slash('roll', { sides: 6 })).message();
  expect(response.content).toMatch(/^You rolled [1-6] of 6\.$/);

  const press = await member.click(response, 'Roll again');
  await press.acknowledged();
  const [message] = discord.messages('studio');
  expect(message).toMatchObject({ id: response.id, edited: true, content: expect.stringMatching(/of 6\.$/) });
  expect(discord.violations).toEqual([]);
});

it('A member cannot use an option as Discord would not let them', async () => {
  await expect(discord.as('member').slash('roll', { sides: 1 })).rejects.toThrow('sides');
});
