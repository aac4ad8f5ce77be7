import { expect, it } from 'vitest';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type FastClockStage, startFastClockBot } from '../quick.ts';
import { openTask, openTaskList } from '../tasks/pages.ts';
import { hasEnded, modelRequests, models } from './proof.ts';

type Person = ReturnType<FastClockStage['discord']['as']>;

const openStage = (): Promise<FastClockStage> =>
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
function questions({ gateway }: FastClockStage): unknown[] {
  const { input = [] } = (modelRequests(gateway).at(-1) ?? {}) as { input?: Item[] };
  return input.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
}
const countTurns = (stage: FastClockStage): number => questions(stage).length;
const receivedText = (stage: FastClockStage): string =>
  JSON.stringify([questions(stage), modelRequests(stage.gateway).at(-1)?.instructions ?? '']);

const ask = async (person: Person, options: Record<string, string | boolean>): Promise<Message> =>
  (await person.slash('ask', options)).message(hasEnded);

async function continueFrom(person: Person, message: Message, words: string): Promise<Message> {
  const form = await (await person.click(message, 'Continue')).modal();
  return (await person.fill(form, { 'Your next question': words })).message(hasEnded);
}

/** Shows a copy of an answer to everyone in a channel, or only to the member who asked. */
async function showCopy(
  stage: FastClockStage,
  words: string,
  audience: 'everyone' | 'me',
  channel?: string,
): Promise<Message> {
  const person = channel === undefined ? stage.discord.as('member') : stage.discord.as('member').in(channel);
  const page = await openTask(stage, await openTaskList(stage, 'member', {}, channel), 'member', words);
  if (audience === 'me') return (await person.click(page, 'Show only to me')).message(hasEnded);
  const question = await (await person.click(page, 'Show here')).message();
  return (await person.click(question, 'Show to everyone')).message(hasEnded);
}

/** Asks two private questions, and then shows the second answer to everyone. */
async function showSecondTurn(stage: FastClockStage) {
  const member = stage.discord.as('member');
  const first = await ask(member, { prompt: 'the first secret', instructions: 'Call me Ishmael.', private: true });
  const second = await continueFrom(member, first, 'what everyone may read');
  expect([second.ephemeral, countTurns(stage)]).toEqual([true, 2]);
  return { member, second, shownCopy: await showCopy(stage, 'what everyone', 'everyone') };
}

it('Continuing a public copy of a private answer does not use its schema', async () => {
  const stage = await openStage();
  const member = stage.discord.as('member');
  const schema_text = '{"type":"object","description":"the first secret"}';
  const first = await ask(member, { prompt: 'what everyone may read', schema_text, private: true });
  await continueFrom(member, first, 'and then?');
  expect(modelRequests(stage.gateway).at(-1)?.text).toMatchObject({ format: { type: 'json_schema' } });
  const shownCopy = await showCopy(stage, 'what everyone', 'everyone');
  await continueFrom(member, shownCopy, 'and in public?');
  expect(modelRequests(stage.gateway).at(-1)).not.toHaveProperty('text');
  expect(JSON.stringify(modelRequests(stage.gateway).at(-1))).not.toContain('first secret');
});

it('Continuing a public copy sends the model only what was shown in public', async () => {
  const stage = await openStage();
  const { member, shownCopy } = await showSecondTurn(stage);
  expect(shownCopy.ephemeral).toBe(false);
  const third = await continueFrom(member, shownCopy, 'and then?');
  expect(third.ephemeral).toBe(false);
  expect(countTurns(stage)).toBe(2);
  expect(receivedText(stage)).toContain('what everyone may read');
  expect(receivedText(stage)).not.toMatch(/first secret|Ishmael/);
  // The same applies to every later turn, no matter who asks or where.
  await continueFrom(stage.discord.as('other'), third, 'and of others?');
  expect([countTurns(stage), receivedText(stage).match(/first secret|Ishmael/)]).toEqual([3, null]);
  await ask(member, { prompt: 'and the next question?' });
  expect([countTurns(stage), receivedText(stage).match(/first secret|Ishmael/)]).toEqual([3, null]);
});

it('Continuing a private answer or its private copy keeps all turns and stays private', async () => {
  const stage = await openStage();
  const { member, second } = await showSecondTurn(stage);
  const third = await continueFrom(member, second, 'and then?');
  expect([third.ephemeral, countTurns(stage)]).toEqual([true, 3]);
  expect(receivedText(stage)).toMatch(/first secret/);
  expect(receivedText(stage)).toMatch(/Ishmael/);
  const continuedCopy = await continueFrom(member, await showCopy(stage, 'and then', 'me'), 'and after that?');
  expect([continuedCopy.ephemeral, countTurns(stage)]).toEqual([true, 4]);
});

it('Only the member who asked can continue the public copy of a private answer', async () => {
  const stage = await openStage();
  const { shownCopy } = await showSecondTurn(stage);
  const requestsBefore = modelRequests(stage.gateway).length;
  await stage.discord.as('other').click(shownCopy, 'Continue');
  await (await stage.discord.as('other').slash('help')).message();
  expect(modelRequests(stage.gateway)).toHaveLength(requestsBefore);
});

it('Private turns in a public conversation are left out when it continues in public', async () => {
  const stage = await openStage();
  const member = stage.discord.as('member');
  await ask(member, { prompt: 'an open beginning' });
  const privateTurn = await continueFrom(member, await showCopy(stage, 'an open', 'me'), 'a secret between');
  expect([privateTurn.ephemeral, countTurns(stage)]).toEqual([true, 2]);
  await continueFrom(member, privateTurn, 'what is shown at last');
  const shownCopy = await showCopy(stage, 'what is shown', 'everyone');
  await continueFrom(member, shownCopy, 'and then?');
  expect(countTurns(stage)).toBe(3);
  expect(receivedText(stage)).toContain('an open beginning');
  expect(receivedText(stage)).not.toContain('a secret between');
});

it('Questions in a direct message with the bot stay there unless they were shown elsewhere', async () => {
  const stage = await startFastClockBot({
    gateway: { speed: 20 },
    settings: { ...models, DISCORD_USER_INSTALL: 'on' },
    registersCommands: { userInstall: true },
  });
  const installer = stage.discord.as('installer');
  const installerInDm = installer.in('dm');
  const first = await ask(installerInDm, { prompt: 'a word between us' });
  await continueFrom(installerInDm, first, 'what is brought along');
  expect(countTurns(stage)).toBe(2);
  for (const channelName of ['friends', 'uninvited/lobby']) {
    const installerInPlace = installer.in(channelName);
    const page = await openTask(
      stage,
      await openTaskList(stage, 'installer', {}, channelName),
      'installer',
      'what is brought',
    );
    const shownCopy = await (await installerInPlace.click(page, 'Show here')).message(hasEnded);
    await continueFrom(installerInPlace, shownCopy, 'and then?');
    expect([countTurns(stage), receivedText(stage).includes('between us')]).toEqual([2, false]);
    await continueFrom(installerInDm, first, `and what of ${channelName}?`);
    expect([countTurns(stage), receivedText(stage).includes('between us')]).toEqual([2, true]);
  }
});

it('An admin who continues another member’s answer in private does not receive that member’s private turns', async () => {
  const stage = await openStage();
  const { member, shownCopy } = await showSecondTurn(stage);
  await continueFrom(member, shownCopy, 'an open question');
  const admin = stage.discord.as('admin');
  const page = await openTask(
    stage,
    await openTaskList(stage, 'admin', { whose: 'server' }),
    'admin',
    'an open question',
  );
  const privateCopy = await (await admin.click(page, 'Show only to me')).message(hasEnded);
  const next = await continueFrom(admin, privateCopy, 'what did they say?');
  expect([next.ephemeral, countTurns(stage)]).toEqual([true, 3]);
  expect(receivedText(stage)).not.toMatch(/first secret|Ishmael/);
});

it('A message in a thread does not send private turns to the model', async () => {
  const stage = await openStage();
  const speaker = stage.discord.as('member').in('thread');
  const first = await ask(speaker, { prompt: 'the first secret', private: true });
  await continueFrom(speaker, first, 'what everyone may read');
  await continueFrom(speaker, await showCopy(stage, 'what everyone', 'everyone', 'thread'), 'and then?');
  const requestsBefore = modelRequests(stage.gateway).length;
  await speaker.say('and what else?');
  await stage.discord.until(() => (modelRequests(stage.gateway).length > requestsBefore ? true : undefined));
  expect(countTurns(stage)).toBe(3);
  expect(receivedText(stage)).not.toContain('first secret');
});

it('A retry in public does not send private turns to the model', async () => {
  const stage = await openStage();
  const { member, shownCopy } = await showSecondTurn(stage);
  stage.gateway.faults.add({ do: { type: 'text', how: 'cut', after: 30 } });
  const brokenAnswer = await continueFrom(member, shownCopy, 'and then?');
  stage.clock.advance(5_000);
  await (await member.click(brokenAnswer, 'Retry')).message(hasEnded);
  expect(countTurns(stage)).toBe(2);
  expect(receivedText(stage)).not.toMatch(/first secret|Ishmael/);
});
