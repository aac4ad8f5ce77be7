import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { labels, says, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn, jobs, orderGrid } from './fixture.ts';
import { offeredTasks, openTask, openTaskList } from './pages.ts';

const day = 24 * 3_600_000;

describe('/tasks', () => {
  it('/tasks lists a member’s own tasks ephemerally, newest first', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await orderGrid(fixture, { prompt: 'a fox in the snow' });
    await orderGrid(fixture, { prompt: 'an owl at night', private: true });
    const taskList = await openTaskList(fixture, 'member');
    expect(taskList.ephemeral).toBe(true);
    expect(text(taskList)).toMatch(/🟢 Imagine · an owl at night 🔒 · .*\n🟢 Imagine · a fox in the snow · /);
    expect(text(await openTaskList(fixture, 'member', { text: 'owl' }))).not.toContain('fox');
    expect(text(await openTaskList(fixture, 'member', { state: 'failed' }))).toContain(
      'No tasks found. Use `/tasks` with fewer options',
    );
    expect(text(await openTaskList(fixture, 'other'))).toContain('No tasks found. Use `/help`');
    const managerList = text(await openTaskList(fixture, 'admin', { whose: 'server' }));
    expect(managerList).toContain('a fox in the snow');
    expect(managerList).not.toContain('an owl at night');
    expect(text(await openTaskList(fixture, 'member', { whose: 'server' }))).toContain(
      'Only members with the Manage Server permission',
    );
  });

  it('/tasks shows a result again after three months, with the file stored by Discord and with working buttons', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const originalBytes = await bytesOf(await orderGrid(fixture));
    const [job] = jobs(fixture.gateway);
    fixture.gateway.jobs.expireFiles(job?.id ?? '');
    fixture.clock.advance(90 * day);
    const page = await openTask(fixture, await openTaskList(fixture));
    expect(labels(page)).toContain('Show here');
    const copy = await (await fixture.discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    expect(copy.ephemeral).toBe(false);
    expect((await bytesOf(copy)).equals(originalBytes)).toBe(true);
    const upscaled = await (await fixture.discord.as('member').click(copy, 'U2')).message(says('Finished in'));
    expect(upscaled.attachments).toHaveLength(1);
  });

  it('What is made in a private thread is listed for its owner only, and others in the thread can use its buttons', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord } = fixture;
    const { id } = discord
      .as('member')
      .startThread('hidden', { isPrivate: true, with: ['other', discord.world.bot.name] });
    const member = discord.as('member').in(id);
    const grid = await orderGrid(fixture, { prompt: 'an owl in the thread' }, member);
    expect(text(await openTaskList(fixture, 'member'))).toContain('an owl in the thread 🔒');
    expect(text(await openTaskList(fixture, 'admin', { whose: 'server' }))).not.toContain('owl');
    const page = await openTask(fixture, await openTaskList(fixture, 'member'));
    const question = await (await discord.as('member').click(page, 'Show here')).message((one) => one.ephemeral);
    expect(text(question)).toContain('This task is private.');
    const press = await discord.as('other').in(id).click(grid, 'U2');
    expect((await press.message(says('Finished in'))).attachments).toHaveLength(1);
  });

  it('/tasks shows the tasks of a server to its managers in that server, and to the operator', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { DISCORD_USER_INSTALL: 'on' },
    });
    const { discord } = fixture;
    await orderGrid(fixture);
    await orderGrid(fixture, { prompt: 'an owl in secret', private: true });
    await orderGrid(fixture, { prompt: 'a hare in the hall' }, discord.as('member').in('hall'));
    await orderGrid(fixture, { prompt: 'a wolf between us' }, discord.as('member').in('dm'));
    const whose = { whose: 'server' };
    const serverList = await openTaskList(fixture, 'admin', whose);
    expect(text(serverList)).toContain('fox');
    expect(text(serverList)).not.toMatch(/owl|hare|wolf/);
    // The page of another member's task has no owner actions and no amounts.
    const page = await openTask(fixture, serverList, 'admin');
    expect(labels(page)).toEqual([
      ...['Jump to message', 'Details', 'Back'],
      ...['Show only to me', 'Show here', 'Delete message'],
    ]);
    const hallList = text(await openTaskList(fixture, 'owner', whose, 'hall'));
    expect(hallList).toContain('hare');
    expect(hallList).not.toMatch(/fox|owl|wolf/);
    for (const who of ['member', 'other'])
      expect(text(await openTaskList(fixture, who, whose))).toContain('Only members with the Manage Server permission');
    expect(text(await openTaskList(fixture, 'member', whose, 'dm'))).toContain('works only on servers');
    expect(text(await openTaskList(fixture, 'member', {}, 'dm'))).toMatch(/wolf.*hare.*owl.*fox/s);
    expect(text(await openTaskList(fixture, 'admin', {}, 'dm'))).toContain('No tasks found');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/tasks shows the tasks of a server to the owner of the application, who has no permissions there', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { world } = fixture.discord;
    world.ownerId = world.user('other').id;
    await orderGrid(fixture);
    await orderGrid(fixture, { prompt: 'an owl in secret', private: true });
    const serverList = await openTaskList(fixture, 'other', { whose: 'server' });
    expect(text(serverList)).toContain('fox');
    expect(text(serverList)).not.toContain('owl');
    expect(text(await openTask(fixture, serverList, 'other'))).toContain('a fox in the snow');
  });

  it('/tasks shows members with a user installation only their own tasks', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { DISCORD_USER_INSTALL: 'on' },
    });
    await orderGrid(fixture, {}, fixture.discord.as('installer'));
    await orderGrid(fixture, { prompt: 'an owl at home' });
    expect(text(await openTaskList(fixture, 'installer'))).toContain('fox');
    expect(text(await openTaskList(fixture, 'installer', { whose: 'server' }))).toContain(
      'Only members with the Manage Server permission',
    );
    expect(text(await openTaskList(fixture, 'installer', {}, 'dm'))).toContain('fox');
    expect(text(await openTaskList(fixture, 'installer'))).not.toContain('owl');
  });

  it('/tasks keeps its filters on every page', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const prompts = [
      '🦊 fox',
      '🦉',
      'fox '.repeat(60),
      '**fox** `x`',
      ...Array.from({ length: 9 }, (_, index) => `fox ${index}`),
    ];
    fixture.gateway.faults.add({ do: 'fail', times: prompts.length });
    for (const prompt of prompts) await (await member.slash('imagine', { prompt })).message(says('This task failed'));
    const first = await openTaskList(fixture, 'member', { text: 'fox', kind: 'imagine', state: 'failed' });
    expect(offeredTasks(first)).toHaveLength(10);
    const second = await (await member.click(first, 'Older')).message((message) => labels(message).includes('Newest'));
    expect(offeredTasks(second)).toHaveLength(2);
    const page = await openTask(fixture, second);
    const previousList = await (await member.click(page, 'Back')).message(says('Your tasks'));
    expect(offeredTasks(previousList)).toEqual(offeredTasks(second));
    const allLabels = [...offeredTasks(await openTaskList(fixture)), ...offeredTasks(second)].map(({ label }) => label);
    expect(allLabels.every((label) => label.trim() !== '')).toBe(true);
    expect(errorsIn(fixture)).toEqual([]);
  });
});
