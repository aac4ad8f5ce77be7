import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { examine } from '../../src/services/store/examination/examination.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { itVariants } from '../support/variants.ts';
import { startBot } from './bot.ts';
import { type FastClockFixture, labels, says, startFastClockBot, submitCount } from './quick.ts';
import { changeRules, decide, onlyReport, report, setLogChannel, waitForReport } from './reports.ts';
import { bytesOf, errorsIn, jobs, orders, shortVideos } from './tasks/fixture.ts';
import { erase, openTaskList, publicMessages } from './tasks/pages.ts';

const startFixture = (settings: Record<string, string> = {}, gateway: object = {}) =>
  startFastClockBot({
    gateway: { speed: 20, ...gateway },
    settings: { ...noLimits, DISCORD_USER_INSTALL: 'on', ...settings },
  });

type Options = Parameters<ReturnType<EmbeddedDiscord['as']>['slash']>[1];

async function ask({ discord }: FastClockFixture, options: Options, actor = discord.as('member')): Promise<Message> {
  return (await actor.slash('imagine', options)).message(says('Deadline'));
}

/** Confirms a question and waits for the message of the batch. */
async function run(
  fixture: FastClockFixture,
  question: Message,
  matches: (message: Message) => boolean,
  who = 'member',
) {
  const button = labels(question)[0] ?? '';
  return (await fixture.discord.as(who).click(question, button)).followUp(matches);
}

const allDone = (count: number) => says(`${count} of ${count} finished.`);

const prompts = ({ gateway }: FastClockFixture): unknown[] =>
  orders(gateway).map(({ body }) => (body as { prompt: string }).prompt);

/** The results that were posted in the thread of a batch. */
const inThread = ({ discord }: FastClockFixture, parent: Message): Message[] =>
  discord.messages(parent.id).filter(says('Finished in'));

describe('Batches', () => {
  it('The question about a batch says how many of its tasks the limits of the member allow', {
    tags: ['breadth'],
  }, async () => {
    const prices = { PRICES: join(createTemporaryFolder(), 'prices.json') };
    writeFileSync(prices.PRICES, JSON.stringify({ imagine: '0.1' }));
    for (const [limits, allowed] of [
      ['2 at once', 'Your limits allow 2 more tasks right now; the others may be refused.'],
      ['$0.15 a day', 'Your limits allow 1 more task right now; the others may be refused.'],
    ] as const) {
      const fixture = await startFixture({ DEFAULT_MEMBER_BUDGET: limits, ...prices });
      const question = await ask(fixture, { prompt: 'a {red, blue} bird', repeat: 2 });
      expect(text(question)).toContain(allowed);
      expect(submitCount(fixture.gateway)).toBe(0);
    }
    const fixture = await startFixture({ DEFAULT_MEMBER_BUDGET: '4 at once', ...prices });
    expect(text(await ask(fixture, { prompt: 'a {red, blue} bird', repeat: 2 }))).not.toContain('Your limits');
  });

  it('Lists in a prompt are proposed in private, and submitted as tasks whose results are in the thread of one message', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    const question = await ask(fixture, { prompt: 'a {red, blue} fox --ar {1:1, 16:9}' });
    expect(question.ephemeral).toBe(true);
    expect(text(question)).toContain('**a red fox --ar 1:1**\n**a red fox --ar 16:9**\n**a blue fox --ar 1:1**');
    expect(text(question)).toContain('This makes 4 tasks, shown in one message.\nEstimated cost of these 4 tasks: ');
    expect(labels(question)).toEqual(['Run all 4', 'Show all', 'Use as typed', 'Cancel']);
    expect(submitCount(gateway)).toBe(0);
    const parent = await run(fixture, question, allDone(4));
    expect(parent.ephemeral).toBe(false);
    expect(prompts(fixture)).toEqual([
      'a red fox --ar 1:1',
      'a red fox --ar 16:9',
      'a blue fox --ar 1:1',
      'a blue fox --ar 16:9',
    ]);
    await expect.poll(() => inThread(fixture, parent).length).toBe(4);
    const [first] = inThread(fixture, parent);
    expect(first && labels(first)).toContain('U1');
    const final = await discord.until(() =>
      discord.messages('studio').find((one) => one.id === parent.id && labels(one).includes('Delete')),
    );
    expect(text(final)).toMatch(
      /^\*\*a \{red, blue\} fox --ar \{1:1, 16:9\}\*\* · <@\d+>\n4 of 4 finished\. The results are in <#\d+>\.\n1\. 🟢/,
    );
    expect(final.attachments).toHaveLength(4);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A batch is submitted once, however often its member confirms it', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    const question = await ask(fixture, { prompt: '{a, b} fox' });
    await Promise.all([1, 2, 3].map(() => discord.as('member').click(question, 'Run all 2')));
    await expect.poll(() => discord.messages('studio').filter(allDone(2)).length).toBe(1);
    expect(submitCount(gateway)).toBe(2);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
  });

  it('The option and the flag to repeat a prompt submit it as often', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    const byOption = await ask(fixture, { prompt: 'a hare', repeat: 3 });
    expect(labels(byOption)).toEqual(['Run all 3', 'Show all', 'Cancel']);
    await run(fixture, byOption, allDone(3));
    const byFlag = await ask(fixture, { prompt: 'an owl --r 2 --ar 1:1', repeat: 3 });
    await run(fixture, byFlag, allDone(2));
    expect(prompts(fixture)).toEqual([...Array(3).fill('a hare'), ...Array(2).fill('an owl --ar 1:1')]);
  });

  it('Use as typed sends the braces as they are, and Show all sends all prompts as a file', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const { discord } = fixture;
    const question = await ask(fixture, { prompt: 'a {red, blue} fox' });
    const shown = await (await discord.as('member').click(question, 'Show all')).message();
    expect(shown.ephemeral).toBe(true);
    const file = await (await fetch(shown.attachments[0]?.url ?? '')).text();
    expect(file).toBe('1. a red fox\n\n2. a blue fox\n');
    const result = await (await discord.as('member').click(question, 'Use as typed')).followUp(says('Finished in'));
    expect(result.ephemeral).toBe(false);
    expect(prompts(fixture)).toEqual(['a {red, blue} fox']);
  });

  itVariants([
    ['11 prompts', { prompt: `{${'x,'.repeat(10)}x}` }, 'This would make 11 tasks, and at most 10'],
    ['repetitions', { prompt: '{a, b, c}', repeat: 4 }, 'This would make 12 tasks'],
    ['an explosion', { prompt: '{a,b}'.repeat(30) }, 'This would make more than 1,000,000 tasks'],
  ])('%s are refused before anything is expanded', async (_name, options, sentence) => {
    const fixture = await startFixture();
    const refused = await (await fixture.discord.as('member').slash('imagine', options)).message();
    expect(refused.ephemeral).toBe(true);
    expect(text(refused)).toContain(sentence);
    expect(submitCount(fixture.gateway)).toBe(0);
  });

  it('A private batch has no thread, and its tasks are opened from its menu', async () => {
    const fixture = await startFixture();
    const { discord } = fixture;
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox', private: true }), allDone(2));
    expect(parent.ephemeral).toBe(true);
    expect(discord.world.channels.has(parent.id)).toBe(false);
    const shown = await (await discord.as('member').choose(parent, 'Show a task', ['b fox'])).message();
    expect(text(shown)).toMatch(/^\*\*b fox\*\* · <@\d+>\nFinished in/);
    expect(shown).toMatchObject({ ephemeral: true, attachments: [{}] });
    expect(labels(shown)).toContain('U1');
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it.each([
    ['dm', 'member'],
    ['dm', 'installer'],
    ['lobby', 'installer'],
    ['friends', 'installer'],
  ])(
    'In %s, the tasks of a batch that %s runs are opened from its menu',
    { tags: ['breadth'] },
    async (channelName, who) => {
      const fixture = await startFixture();
      const actor = fixture.discord.as(who).in(channelName);
      const question = await ask(fixture, { prompt: '{a, b} fox' }, actor);
      const parent = await run(fixture, question, allDone(2), who);
      expect(parent.ephemeral).toBe(false);
      const shown = await (await actor.choose(parent, 'Show a task', ['a fox'])).message();
      expect(shown.attachments).toHaveLength(1);
      expect(submitCount(fixture.gateway)).toBe(2);
    },
  );

  it('In a thread, the tasks of a batch are opened from its menu', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    const { discord } = fixture;
    const thread = discord.as('member').startThread('sketches');
    const actor = discord.as('member').in(thread.name);
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }, actor), allDone(2));
    expect(text(parent)).not.toContain('The results are in');
    const shown = await (await actor.choose(parent, 'Show a task', ['a fox'])).message();
    expect(shown.attachments).toHaveLength(1);
  });

  it('Cancel the rest cancels what waits, and only for the member of the batch', async () => {
    const fixture = await startFixture({ GATEWAY_JOBS_AT_ONCE: '1' });
    const { discord, gateway } = fixture;
    gateway.faults.add({ do: 'stick' });
    const question = await ask(fixture, { prompt: '{a, b, c} fox' });
    const parent = await run(fixture, question, says('2. 🕓'));
    expect(text(await (await discord.as('other').click(parent, 'Cancel the rest')).followUp())).toContain('Only the');
    await expect.poll(() => submitCount(gateway)).toBe(1);
    await discord.as('member').click(parent, 'Cancel the rest');
    const canceled = await discord.until(() => find(discord, parent, (one) => /2\. ⚪[\s\S]*3\. ⚪/.test(text(one))));
    expect(text(canceled)).toContain('0 of 3 finished. Canceled: 2.\n');
    expect(text(canceled)).toMatch(/2\. ⚪ \*\*b fox\*\* · Canceled\n3\. ⚪ \*\*c fox\*\* · Canceled/);
    gateway.jobs.finish(jobs(gateway)[0]?.id ?? '');
    const final = await discord.until(() => find(discord, parent, (one) => labels(one).includes('Delete')));
    expect(text(final)).toContain('1 of 3 finished. Canceled: 2.');
    expect(labels(final)).toEqual(['Delete']);
    expect(submitCount(gateway)).toBe(1);
  });

  it('Cancel the rest says so where every task has been submitted', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    gateway.faults.add({ do: 'stick', times: 2 });
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }), says('2. 🕓'));
    // The edit without the button is late.
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 150_000 }, times: 1 });
    await expect.poll(() => submitCount(gateway)).toBe(2);
    const refused = await (await discord.as('member').click(parent, 'Cancel the rest')).followUp();
    expect(text(refused)).toContain('Nothing is left to cancel');
    expect(refused.ephemeral).toBe(true);
    for (const { id } of jobs(gateway)) gateway.jobs.finish(id);
    await discord.until(() => find(discord, parent, says('2 of 2 finished.')));
  });

  it('A task whose outcome is unknown is not counted as failed', async () => {
    const fixture = await startFixture();
    const { gateway } = fixture;
    gateway.faults.add({ on: { kind: 'imagine' }, do: 'accepted-then-reset', times: 1 });
    const ended = says('1 of 2 finished. Unconfirmed: 1.');
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }), ended);
    expect(text(parent)).not.toContain('Failed');
    expect(labels(parent)).not.toContain('Retry failed');
  });

  it('Retry failed submits definite failures again, and nothing whose outcome is unknown', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    gateway.faults.add({ on: { kind: 'imagine' }, do: 'fail', times: 1 });
    const question = await ask(fixture, { prompt: '{a, b} fox' });
    const parent = await run(fixture, question, says('1 of 2 finished. Failed: 1.'));
    const retry = await (await discord.as('member').click(parent, 'Retry failed')).message(says('Deadline'));
    expect(text(retry)).toMatch(/^\*\*a fox\*\*\nThis submits the failed task again\./);
    await run(fixture, retry, allDone(1));
    expect(prompts(fixture)).toEqual(['a fox', 'b fox', 'a fox']);
  });

  it('Failed tasks are retried once, also after a restart and from questions that were asked before, and the retry is named after its prompts', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const { discord, gateway, app } = fixture;
    const member = discord.as('member');
    gateway.faults.add({ on: { kind: 'imagine' }, do: 'fail', times: 3 });
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }), says('Failed: 2.'));
    await expect.poll(async () => text(await openTaskList(fixture))).toContain('🔴 Batch · {a, b} fox');
    expect(text(await discord.until(() => find(discord, parent, () => true)))).toContain(
      '0 of 2 finished. Failed: 2.\n',
    );
    const retries: Message[] = [];
    for (const _ of [1, 2]) retries.push(await (await member.click(parent, 'Retry failed')).message(says('Deadline')));
    const [first, second] = retries;
    if (!first || !second) throw new Error('There is no question.');
    const started = await run(fixture, first, says('of 2 finished'));
    expect(text(started)).toMatch(/^\*\*a fox, b fox\*\*/);
    await discord.until(() => submitCount(gateway) > 2 || undefined);
    const refused = says('These tasks have been retried already.');
    expect((await (await member.click(second, labels(second)[0] ?? '')).followUp(refused)).ephemeral).toBe(true);
    const retried = await discord.until(() => find(discord, started, says('1 of 2 finished. Failed: 1.')));
    await app.stop();
    await startBot(fixture);
    expect((await (await member.click(parent, 'Retry failed')).message(refused)).ephemeral).toBe(true);
    const third = await (await member.click(retried, 'Retry failed')).message(says('Deadline'));
    expect(text(third)).toMatch(/^\*\*a fox\*\*\nThis submits the failed task again\./);
    const last = await run(fixture, third, allDone(1));
    expect(discord.world.channels.get(last.id)?.name).toBe('1 result');
    expect(prompts(fixture)).toEqual(['a fox', 'b fox', 'a fox', 'b fox', 'a fox']);
  });

  it('The limits of a role cap the batches of its members, and the question about a retry says so, too', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture({ DEFAULT_MEMBER_BUDGET: '3 at once' });
    const { discord, gateway } = fixture;
    const { roles, members } = discord.world.guild('atelier');
    roles.push({ id: '900000000000000001', name: 'novices', permissions: 0n });
    members.get(discord.world.user('other').id)?.roles.push('900000000000000001');
    const limit = { limits: '1 at once', role: 'novices' };
    await (await discord.as('admin').slash('budget set', limit)).message(says('1 at once'));
    const other = discord.as('other');
    const options = { prompt: '{a, b, c} fox' };
    const asked = await ask(fixture, options, other);
    const allowed = 'Your limits allow 1 more task right now; the others may be refused.';
    expect(text(asked)).toContain(allowed);
    expect(text(await ask(fixture, options))).not.toContain('Your limits');
    gateway.faults.add({ do: 'stick' });
    const parent = await run(fixture, asked, says('Failed: 2.'), 'other');
    gateway.jobs.finish(jobs(gateway)[0]?.id ?? '');
    await discord.until(() => find(discord, parent, says('1 of 3 finished')));
    const retry = await (await other.click(parent, 'Retry failed')).message(says('Deadline'));
    expect(text(retry)).toContain('This submits the 2 failed tasks again.\n-# 2 tasks were refused: Your limit');
    expect(text(retry)).toContain(allowed);
  });

  it('That an order was refused midway is said on the message, why in private, and it can be retried', async () => {
    const fixture = await startFixture({ DEFAULT_MEMBER_BUDGET: '2 tasks a day' });
    const { gateway } = fixture;
    const question = await ask(fixture, { prompt: '{a, b, c} fox' });
    const parent = await run(fixture, question, says('2 of 3 finished. Failed: 1.'));
    expect(text(parent)).toMatch(/3\. 🔴 \*\*c fox\*\* · Refused\n-# 1 task was refused\. Press \*\*Retry failed/);
    expect(text(parent)).not.toContain('limit');
    const pressed = await fixture.discord.as('member').click(parent, 'Retry failed');
    const reason = await pressed.message(says('would exceed your limit on this server: `2 tasks a day`'));
    expect(reason.ephemeral).toBe(true);
    expect(submitCount(gateway)).toBe(2);
  });

  it('A batch whose words a rule refuses is refused in private, before anything is shown', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const { discord } = fixture;
    await changeRules(fixture, 'Change words', { words: 'casino' });
    const refused = await (await discord.as('member').slash('imagine', { prompt: 'a {fox, casino}' })).message();
    expect(refused.ephemeral).toBe(true);
    expect(text(refused)).toContain('blocked here');
    expect(publicMessages(fixture)).toEqual([]);
    expect(submitCount(fixture.gateway)).toBe(0);
  });

  it('A rule that was added in the meantime refuses what still waits', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture({ GATEWAY_JOBS_AT_ONCE: '1' });
    const { discord, gateway } = fixture;
    gateway.faults.add({ do: 'stick' });
    const parent = await run(fixture, await ask(fixture, { prompt: '{fox, casino}' }), says('2. 🕓'));
    await changeRules(fixture, 'Change words', { words: 'casino' });
    gateway.jobs.finish(jobs(gateway)[0]?.id ?? '');
    const final = await discord.until(() => find(discord, parent, (one) => labels(one).includes('Delete')));
    expect(text(final)).toContain('1. 🟢 **fox**');
    expect(text(final)).toContain('1 of 2 finished. Failed: 1.');
    expect(submitCount(gateway)).toBe(1);
  });

  it('A private batch stays private where the server makes the command private', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    await changeRules(fixture, 'Change buttons and privacy', { privateCommands: 'imagine' });
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }), allDone(2));
    expect(parent.ephemeral).toBe(true);
    expect(publicMessages(fixture)).toEqual([]);
  });

  it('A moderator who removes a result also removes the message that shows it', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    const { discord } = fixture;
    await setLogChannel(fixture);
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }), allDone(2));
    const [first] = await discord.until(() =>
      inThread(fixture, parent).length === 2 ? inThread(fixture, parent) : undefined,
    );
    if (first) await report(fixture, first, { channel: parent.id });
    await decide(fixture, await onlyReport(fixture), 'Remove');
    await waitForReport(fixture, 'Result removed by');
    await expect.poll(() => find(discord, parent, () => true)).toBeUndefined();
    expect(inThread(fixture, parent)).toHaveLength(1);
  });

  it('An export has the batch and its tasks, and an erasure deletes their messages', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const { discord, clock } = fixture;
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b} fox' }), allDone(2));
    await discord.until(() => find(discord, parent, (one) => labels(one).includes('Delete')));
    clock.advance(20 * 60_000);
    const exported = await (await discord.as('member').click(await openTaskList(fixture), 'Export my data')).message();
    const { tasks } = JSON.parse((await bytesOf(exported)).toString());
    expect(tasks).toMatchObject([
      { kind: 'imagine' },
      { kind: 'imagine' },
      { kind: 'batch', request: { typed: '{a, b} fox' } },
    ]);
    expect(text(await erase(fixture))).toContain('Your data has been deleted (tasks: 3, messages: 3)');
    expect(find(discord, parent, () => true)).toBeUndefined();
    expect(inThread(fixture, parent)).toEqual([]);
  });

  it.each([
    ['image', { prompt: 'a {red, blue} fox' }],
    ['video', { prompt: 'a {red, blue} fox', repeat: 1 }],
    ['music make', { about: 'a fox', repeat: 2 }],
  ])('/%s makes batches, too', { tags: ['breadth'] }, async (command, options) => {
    const fixture = await startFixture({}, { studio: shortVideos() });
    const { discord } = fixture;
    const question = await (await discord.as('member').slash(command, options)).message(says('Deadline'));
    await run(fixture, question, allDone(2));
  });

  it('A batch goes on after a restart, and submits nothing twice', async () => {
    const fixture = await startFixture({ GATEWAY_JOBS_AT_ONCE: '1' });
    const { discord, gateway, app } = fixture;
    gateway.faults.add({ do: 'stick' });
    const parent = await run(fixture, await ask(fixture, { prompt: '{a, b, c} fox' }), says('2. 🕓'));
    await app.stop();
    const { config, clock, log } = fixture;
    const { findings } = await examine(config.store, { specs: kindSpecs, clock, log, repair: false });
    expect(findings).toEqual([]);
    await startBot(fixture);
    gateway.jobs.finish(jobs(gateway)[0]?.id ?? '');
    const final = await discord.until(() => find(discord, parent, allDone(3)));
    expect(text(final)).toContain('The results are in');
    expect(prompts(fixture)).toEqual(['a fox', 'b fox', 'c fox']);
    await expect.poll(() => inThread(fixture, parent).length).toBe(3);
  });
});

const find = (discord: EmbeddedDiscord, { id }: Message, matches: (message: Message) => boolean) =>
  discord.messages('studio').find((one) => one.id === id && matches(one));
