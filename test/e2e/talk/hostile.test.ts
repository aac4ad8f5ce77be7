import { ButtonStyle, ComponentType, PermissionFlagsBits as Permission } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import { wavOf } from '../../services/media/sound/wav-file.ts';
import { labels, messagesWith } from '../quick.ts';
import { errorsIn } from '../tasks/fixture.ts';
import { openTaskList } from '../tasks/pages.ts';
import { hasEnded, isVoiceMessage, sendUtterance, startTalk, startTalkBot, type TalkFixture } from './fixture.ts';
import { chargedReplyCount, recordSessions, storedEntries, storedTasks } from './wire.ts';

const MINUTE_MS = 60_000;
const fastGateway = { seed: 1, speed: 10 };

describe('A live conversation while Discord is failing', () => {
  it('A live conversation ends with a notice if Discord refuses its thread although the permissions allow creating one', async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, gateway } = fixture;
    discord.faults.add({
      on: { method: 'POST', route: /threads$/ },
      do: { type: 'status', status: 403, code: 50_013 },
    });
    const notice = await (await discord.as('member').slash('talk start', {})).message();
    expect(text(notice)).toMatch(/thread/);
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    expect(text(await openTaskList(fixture, 'member', { kind: 'talk', state: 'working' }))).toContain('No tasks found');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A live conversation whose thread is deleted is charged only once and leaves no session open', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, gateway, clock } = fixture;
    const { thread, opening } = await startTalk(fixture);
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
    const member = discord.as('member');
    const running = await member.fill(await (await member.click(opening, 'Speak')).modal(), { words: 'tell me' });
    await running.message((message) => labels(message).includes('Stop'));
    await deleteThread(fixture, thread);
    gateway.setSpeed(200);
    await expect.poll(() => storedEntries(fixture).map(standingOf)).toEqual(['settled']);
    // The member still gets the reply.
    await discord.until(() => messagesWith(discord, 'dm', 'You said: “tell me”')[0], 'a direct message');
    clock.advance(16 * MINUTE_MS);
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    await startTalk(fixture);
    expect(chargedReplyCount(gateway)).toBe(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A live conversation whose thread is locked during a reply keeps the part that had arrived and is charged once', async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, gateway, clock } = fixture;
    const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
    const member = discord.as('member');
    const running = await member.fill(await (await member.click(opening, 'Speak')).modal(), { words: 'tell me' });
    await running.message((message) => labels(message).includes('Stop'));
    grantManageThreads(fixture, thread, discord.world.user('admin').id);
    discord.as('admin').in(thread).archive({ locked: true });
    gateway.setSpeed(200);
    await expect.poll(() => storedEntries(fixture).map(standingOf)).toEqual(['settled']);
    await discord.until(() => messagesWith(discord, 'dm', 'You said: “tell me”')[0], 'a direct message');
    expect(discord.messages(thread).some(isVoiceMessage)).toBe(false);
    clock.advance(16 * MINUTE_MS);
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    expect(chargedReplyCount(gateway)).toBe(1);
    expect(errorsIn(fixture)).toEqual([]);
  });
});

it('Forged buttons send nothing to the gateway and reveal nothing about other members', async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { opening } = await startTalk(fixture);
  const answer = await sendUtterance(fixture, opening, 'a secret');
  const tasks = storedTasks(fixture);
  const idOf = (kind: string) => tasks.find((task) => task.kind === kind)?.id ?? '';
  const ids = [
    `speak.1.${idOf('talk')}`,
    `speak.1.${idOf('said')}`,
    'speak.1.nonsense',
    'speak.1',
    'speak.9.x',
    `spoken.1.${idOf('talk')}`,
    `endtalk.1.${idOf('talk')}`,
    `endtalk.1.${idOf('said')}`,
    `delete.1.${idOf('talk')}`,
  ];
  const forged = await postForgedButtons(fixture, ids);
  for (const id of ids) {
    const exchange = await discord.as('other').click(forged, id);
    const reply = await Promise.any([exchange.message(), exchange.followUp()]);
    expect(text(reply)).not.toMatch(/secret|has ended|You said/);
    expect(text(reply)).not.toBe('');
  }
  expect(sessionLog.requestCount()).toBe(1);
  expect(
    storedTasks(fixture)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['said', 'talk']);
  expect(gateway.realtime.sessions).toHaveLength(1);
  expect(text(await sendUtterance(fixture, answer, 'still there?'))).toContain('The first of 2 things was: “a secret”');
  expect(errorsIn(fixture)).toEqual([]);
});

it('A small file with more than five minutes of audio is refused before anything is sent', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { opening } = await startTalk(fixture);
  const member = discord.as('member');
  const modal = await (await member.click(opening, 'Speak')).modal();
  const bytes = wavOf([new Float32Array(8_000 * 301)], 8_000, { bytes: 1 });
  const refusal = await (await member.fill(modal, { sound: [{ name: 'long.wav', bytes }] })).message();
  expect(text(refusal)).toContain('longer than 5 min.');
  expect([sessionLog.requestCount(), sessionLog.utteranceAudio.length]).toEqual([0, 0]);
  expect(hasEnded(refusal)).toBe(false);
});

function grantManageThreads({ discord }: TalkFixture, thread: string, who: string): void {
  const { parentId = '' } = discord.world.channel(thread);
  discord.world
    .channel(parentId)
    .overwrites.push({ id: who, kind: 'member', allow: Permission.ManageThreads, deny: 0n });
}

async function deleteThread(fixture: TalkFixture, thread: string): Promise<void> {
  const { discord } = fixture;
  grantManageThreads(fixture, thread, discord.world.bot.id);
  const response = await fetch(`${discord.apiUrl}/v10/channels/${thread}`, {
    method: 'DELETE',
    headers: { authorization: `Bot ${discord.token}` },
  });
  expect(response.status).toBe(200);
}

/** Posts a message from the bot with buttons that it never created. */
async function postForgedButtons({ discord }: TalkFixture, ids: readonly string[]): Promise<Message> {
  const rows = Array.from({ length: Math.ceil(ids.length / 5) }, (_, index) => ids.slice(index * 5, index * 5 + 5));
  const components = rows.map((row) => ({
    type: ComponentType.ActionRow,
    components: row.map((id) => ({ type: ComponentType.Button, style: ButtonStyle.Primary, label: id, custom_id: id })),
  }));
  const response = await fetch(`${discord.apiUrl}/v10/channels/${discord.world.channel('studio').id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'forged', components }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Message;
}
