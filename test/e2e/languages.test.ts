import { expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { type Say, sayIn } from '../../src/locales/index.ts';
import { labels, startFastClockBot } from './quick.ts';

const [english, german, japanese] = [sayIn('en'), sayIn('de'), sayIn('ja')];

/** Chooses languages in Discord. */
function speak({ world }: EmbeddedDiscord, { member, server = 'en-US' }: { member: string; server?: string }): void {
  world.user('member').locale = member;
  world.guild('atelier').locale = server;
}

/** Whether the message shows the end of a task, in this language. */
const isEndIn =
  (say: Say) =>
  (message: Message): boolean =>
    labels(message).includes(say('task.buttons.delete'));

it('What only a member sees is in the language of their Discord, and what all see in that of the server', async () => {
  const { discord } = await startFastClockBot();
  const member = discord.as('member');
  speak(discord, { member: 'de' });
  await (await member.slash('imagine', { prompt: 'a fox' })).message(isEndIn(english));
  const own = await (await member.slash('imagine', { prompt: 'an owl', private: true })).message(isEndIn(german));
  expect(own.ephemeral).toBe(true);
  const refused = await (await member.slash('imagine', { prompt: ' ' })).message();
  expect(text(refused)).toContain(german('refusals.optionPromptEmpty'));
  speak(discord, { member: 'ja', server: 'de' });
  const shown = await (await member.slash('imagine', { prompt: 'a crow' })).message(isEndIn(german));
  expect(shown.ephemeral).toBe(false);
  const refusedHere = await (await member.slash('imagine', { prompt: ' ' })).message();
  expect(text(refusedHere)).toContain(japanese('refusals.optionPromptEmpty'));
});
