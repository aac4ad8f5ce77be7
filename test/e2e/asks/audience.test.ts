import { expect, it } from 'vitest';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type FastClockFixture, startFastClockBot } from '../quick.ts';
import { openTask, openTaskList } from '../tasks/pages.ts';
import { hasEnded, modelRequests, models } from './fixture.ts';

type Person = ReturnType<FastClockFixture['discord']['as']>;

const openFixture = (): Promise<FastClockFixture> =>
  startFastClockBot({
    settings: { ...models, DISCORD_MESSAGE_CONTENT: 'on' },
    discord: { privilegedIntents: ['message-content'] },
    gateway: { speed: 20 },
  });

type Item = { role?: string; content?: unknown };

/**
 * The member messages in the last request to the model. The model's own turns are omitted because they contain no
 * member's text.
 */
function questions({ gateway }: FastClockFixture): unknown[] {
  const { input = [] } = (modelRequests(gateway).at(-1) ?? {}) as { input?: Item[] };
  return input.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
}
const countTurns = (fixture: FastClockFixture): number => questions(fixture).length;
const receivedText = (fixture: FastClockFixture): string =>
  JSON.stringify([questions(fixture), modelRequests(fixture.gateway).at(-1)?.instructions ?? '']);

const ask = async (person: Person, options: Record<string, string | boolean>): Promise<Message> =>
  (await person.slash('ask', options)).message(hasEnded);

async function continueFrom(person: Person, message: Message, words: string): Promise<Message> {
  const form = await (await person.click(message, 'Continue')).modal();
  return (await person.fill(form, { 'Your next question': words })).message(hasEnded);
}

/** Shows a copy of an answer to everyone in a channel, or only to the member who asked. */
async function showCopy(
  fixture: FastClockFixture,
  words: string,
  audience: 'everyone' | 'me',
  channel?: string,
): Promise<Message> {
  const person = channel === undefined ? fixture.discord.as('member') : fixture.discord.as('member').in(channel);
  const page = await openTask(fixture, await openTaskList(fixture, 'member', {}, channel), 'member', words);
  if (audience === 'me') return (await person.click(page, 'Show only to me')).message(hasEnded);
  const question = await (await person.click(page, 'Show here')).message();
  return (await person.click(question, 'Show to everyone')).message(hasEnded);
}

/** Asks two private questions, and then shows the second answer to everyone. */
async function showSecondTurn(fixture: FastClockFixture) {
  const member = fixture.discord.as('member');
  const first = await ask(member, { prompt: 'the first secret', instructions: 'Call me Ishmael.', private: true });
  const second = await continueFrom(member, first, 'what everyone may read');
  expect([second.ephemeral, countTurns(fixture)]).toEqual([true, 2]);
  return { member, second, shownCopy: await showCopy(fixture, 'what everyone', 'everyone') };
}

it('Continuing a public copy of a private answer does not use its schema', { tags: ['breadth'] }, async () => {
  const fixture = await openFixture();
  const member = fixture.discord.as('member');
  const schema_text = '{"type":"object","description":"the first secret"}';
  const first = await ask(member, { prompt: 'what everyone may read', schema_text, private: true });
  await continueFrom(member, first, 'and then?');
  expect(modelRequests(fixture.gateway).at(-1)?.text).toMatchObject({ format: { type: 'json_schema' } });
  const shownCopy = await showCopy(fixture, 'what everyone', 'everyone');
  await continueFrom(member, shownCopy, 'and in public?');
  expect(modelRequests(fixture.gateway).at(-1)).not.toHaveProperty('text');
  expect(JSON.stringify(modelRequests(fixture.gateway).at(-1))).not.toContain('first secret');
});

it('Continuing a public copy sends the model only what was shown in public', async () => {
  const fixture = await openFixture();
  const { member, shownCopy } = await showSecondTurn(fixture);
  expect(shownCopy.ephemeral).toBe(false);
  const third = await continueFrom(member, shownCopy, 'and then?');
  expect(third.ephemeral).toBe(false);
  expect(countTurns(fixture)).toBe(2);
  expect(receivedText(fixture)).toContain('what everyone may read');
  expect(receivedText(fixture)).not.toMatch(/first secret|Ishmael/);
  // The same applies to every later turn, no matter who asks or where.
  await continueFrom(fixture.discord.as('other'), third, 'and of others?');
  expect([countTurns(fixture), receivedText(fixture).match(/first secret|Ishmael/)]).toEqual([3, null]);
  await ask(member, { prompt: 'and the next question?' });
  expect([countTurns(fixture), receivedText(fixture).match(/first secret|Ishmael/)]).toEqual([3, null]);
});

it('Continuing a private answer or its private copy keeps all turns and stays private', async () => {
  const fixture = await openFixture();
  const { member, second } = await showSecondTurn(fixture);
  const third = await continueFrom(member, second, 'and then?');
  expect([third.ephemeral, countTurns(fixture)]).toEqual([true, 3]);
  expect(receivedText(fixture)).toMatch(/first secret/);
  expect(receivedText(fixture)).toMatch(/Ishmael/);
  const continuedCopy = await continueFrom(member, await showCopy(fixture, 'and then', 'me'), 'and after that?');
  expect([continuedCopy.ephemeral, countTurns(fixture)]).toEqual([true, 4]);
});

it('Only the member who asked can continue the public copy of a private answer', async () => {
  const fixture = await openFixture();
  const { shownCopy } = await showSecondTurn(fixture);
  const requestsBefore = modelRequests(fixture.gateway).length;
  await fixture.discord.as('other').click(shownCopy, 'Continue');
  await (await fixture.discord.as('other').slash('help')).message();
  expect(modelRequests(fixture.gateway)).toHaveLength(requestsBefore);
});

it('Private turns in a public conversation are left out when it continues in public', async () => {
  const fixture = await openFixture();
  const member = fixture.discord.as('member');
  await ask(member, { prompt: 'an open beginning' });
  const privateTurn = await continueFrom(member, await showCopy(fixture, 'an open', 'me'), 'a secret between');
  expect([privateTurn.ephemeral, countTurns(fixture)]).toEqual([true, 2]);
  await continueFrom(member, privateTurn, 'what is shown at last');
  const shownCopy = await showCopy(fixture, 'what is shown', 'everyone');
  await continueFrom(member, shownCopy, 'and then?');
  expect(countTurns(fixture)).toBe(3);
  expect(receivedText(fixture)).toContain('an open beginning');
  expect(receivedText(fixture)).not.toContain('a secret between');
});

it('Questions in a direct message with the bot stay there unless they were shown elsewhere', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startFastClockBot({
    gateway: { speed: 20 },
    settings: { ...models, DISCORD_USER_INSTALL: 'on' },
    registersCommands: { userInstall: true },
  });
  const installer = fixture.discord.as('installer');
  const installerInDm = installer.in('dm');
  const first = await ask(installerInDm, { prompt: 'a word between us' });
  await continueFrom(installerInDm, first, 'what is brought along');
  expect(countTurns(fixture)).toBe(2);
  for (const channelName of ['friends', 'uninvited/lobby']) {
    const installerInPlace = installer.in(channelName);
    const page = await openTask(
      fixture,
      await openTaskList(fixture, 'installer', {}, channelName),
      'installer',
      'what is brought',
    );
    const shownCopy = await (await installerInPlace.click(page, 'Show here')).message(hasEnded);
    await continueFrom(installerInPlace, shownCopy, 'and then?');
    expect([countTurns(fixture), receivedText(fixture).includes('between us')]).toEqual([2, false]);
    await continueFrom(installerInDm, first, `and what of ${channelName}?`);
    expect([countTurns(fixture), receivedText(fixture).includes('between us')]).toEqual([2, true]);
  }
});

it('An admin who continues another member’s answer in private does not receive that member’s private turns', {
  tags: ['breadth'],
}, async () => {
  const fixture = await openFixture();
  const { member, shownCopy } = await showSecondTurn(fixture);
  await continueFrom(member, shownCopy, 'an open question');
  const admin = fixture.discord.as('admin');
  const page = await openTask(
    fixture,
    await openTaskList(fixture, 'admin', { whose: 'server' }),
    'admin',
    'an open question',
  );
  const privateCopy = await (await admin.click(page, 'Show only to me')).message(hasEnded);
  const next = await continueFrom(admin, privateCopy, 'what did they say?');
  expect([next.ephemeral, countTurns(fixture)]).toEqual([true, 3]);
  expect(receivedText(fixture)).not.toMatch(/first secret|Ishmael/);
});

it('A message in a thread does not send private turns to the model', async () => {
  const fixture = await openFixture();
  const speaker = fixture.discord.as('member').in('thread');
  const first = await ask(speaker, { prompt: 'the first secret', private: true });
  await continueFrom(speaker, first, 'what everyone may read');
  await continueFrom(speaker, await showCopy(fixture, 'what everyone', 'everyone', 'thread'), 'and then?');
  const requestsBefore = modelRequests(fixture.gateway).length;
  await speaker.say('and what else?');
  await fixture.discord.until(() => (modelRequests(fixture.gateway).length > requestsBefore ? true : undefined));
  expect(countTurns(fixture)).toBe(3);
  expect(receivedText(fixture)).not.toContain('first secret');
});

it('A retry in public does not send private turns to the model', { tags: ['breadth'] }, async () => {
  const fixture = await openFixture();
  const { member, shownCopy } = await showSecondTurn(fixture);
  fixture.gateway.faults.add({ do: { type: 'text', how: 'cut', after: 30 } });
  const brokenAnswer = await continueFrom(member, shownCopy, 'and then?');
  fixture.clock.advance(5_000);
  await (await member.click(brokenAnswer, 'Retry')).message(hasEnded);
  expect(countTurns(fixture)).toBe(2);
  expect(receivedText(fixture)).not.toMatch(/first secret|Ishmael/);
});
