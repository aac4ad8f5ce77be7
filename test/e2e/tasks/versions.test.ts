import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { noLimits } from '../../support/no-limits.ts';
import { itVariants } from '../../support/variants.ts';
import { type FastClockFixture, says, startFastClockBot, submitCount } from '../quick.ts';
import { errorsIn, jobs, orderGrid, pressAndWait } from './fixture.ts';

const OUTDATED_REPLY = 'This button is from another version of the bot.';
const UNKNOWN_REPLY = 'This button no longer works. Run the command again.';
const NO_TASK_REPLY = 'This task is no longer stored. Run the command again.';
const NO_TASK_TO_DELETE_REPLY = 'This task is no longer stored, so the bot cannot tell whose message this is.';

const verbs = [
  ...['a', 'chg', 'all', 'w', 'go', 'retry', 'edit', 'cancel', 'again', 'dismiss', 'delete', 'models'],
  ...['same', 'ref', 'large', 'film'],
];
const taskVerbs = verbs.filter((verb) => verb !== 'models');
/** What follows the task id in the custom ids of these verbs; for all others it is 0. */
const extraArguments: Readonly<Record<string, string>> = { chg: 'U1', large: '2K' };
const customIdOf = (verb: string, task: string): string => `${verb}.1.${task}.${extraArguments[verb] ?? '0'}`;
const formVerbs = ['wf', 'gof', 'editf', 'reff', 'filmf'];

/** A well-formed id without a task. */
const unknownTaskId = '0123456789abcdefg';

/** Posts with the bot token, because only the bot can add such buttons to its messages. */
async function postMessage(
  { discord }: FastClockFixture,
  components: readonly object[],
  channel = 'studio',
): Promise<Message> {
  const { id } = discord.world.channel(channel);
  const response = await fetch(`${discord.apiUrl}/v10/channels/${id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'from another time', components }),
  });
  if (!response.ok) throw new Error(`The message was not accepted: ${await response.text()}`);
  return (await response.json()) as Message;
}

const MAX_ROW_LENGTH = 5;

/** Posts a message with a button for each of these ids. */
async function postButtons(fixture: FastClockFixture, ids: readonly string[]): Promise<Message> {
  const buttons = ids.map((custom_id, index) => ({
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    custom_id,
    label: String(index),
  }));
  const rows = Array.from({ length: Math.ceil(ids.length / MAX_ROW_LENGTH) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: buttons.slice(row * MAX_ROW_LENGTH, (row + 1) * MAX_ROW_LENGTH),
  }));
  return postMessage(fixture, rows);
}

/** Presses each button and returns the replies. */
async function repliesTo(
  fixture: FastClockFixture,
  ids: readonly string[],
  who = 'member',
): Promise<Record<string, string>> {
  const message = await postButtons(fixture, ids);
  const replies: Record<string, string> = {};
  for (const id of ids) {
    const exchange = await fixture.discord.as(who).click(message, id);
    const { type } = await exchange.acknowledged();
    // The reply to a press that would have changed its message is a new message.
    const reply = type === DEFERRED_UPDATE ? await exchange.followUp() : await exchange.message();
    if (type !== DEFERRED_REPLY) expect(reply.ephemeral).toBe(true);
    replies[id] = text(reply);
  }
  return replies;
}

const DEFERRED_REPLY = 5;
const DEFERRED_UPDATE = 6;

const expectedReplies = (ids: readonly string[], words: string) =>
  Object.fromEntries(ids.map((id) => [id, expect.stringContaining(words)]));

describe('A forged button', () => {
  itVariants(['0', '00', '-1', '', 'x', '1x', '10000', '1e3', '٢'])(
    'A button with the invalid version "%s" is reported as unknown, for every verb',
    async (version) => {
      const fixture = await startFastClockBot({ settings: noLimits });
      const ids = [...verbs, ...formVerbs, 'press'].map((verb) => `${verb}.${version}.${unknownTaskId}.0`);
      expect(await repliesTo(fixture, ids)).toEqual(expectedReplies(ids, UNKNOWN_REPLY));
      expect(submitCount(fixture.gateway)).toBe(0);
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  itVariants(['2', '9', '9999'])(
    'A button with the newer version %s is reported as outdated, for every verb',
    async (version) => {
      const fixture = await startFastClockBot({ settings: noLimits });
      const ids = verbs.map((verb) => `${verb}.${version}.${unknownTaskId}.0.and.more`);
      expect(await repliesTo(fixture, ids)).toEqual(expectedReplies(ids, OUTDATED_REPLY));
      expect(submitCount(fixture.gateway)).toBe(0);
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  it('A button with an unknown verb is reported as unknown', async () => {
    const fixture = await startFastClockBot({ settings: noLimits });
    const ids = [
      ...['x.1', 'A.1', 'a', '.', '..', '.1', 'a..', ' ', 'constructor.1', '__proto__.1', 'valueof.1', 'press.1'],
      ...['press.1.a.1', 'a.1.~', 'a.1.~%%', `a.1.${'x'.repeat(96)}`, 'a'.repeat(100), '🦊'.repeat(50), '\u202e.1'],
      ...[
        `editf.1.${unknownTaskId}`,
        `wf.1.${unknownTaskId}.0`,
        `gof.1.${unknownTaskId}`,
        'MJ::JOB::upsample::1::5c1d2a4e',
        '{"a":1}',
      ],
    ];
    expect(await repliesTo(fixture, ids.slice(0, 20))).toEqual(expectedReplies(ids.slice(0, 20), UNKNOWN_REPLY));
    expect(await repliesTo(fixture, ids.slice(20))).toEqual(expectedReplies(ids.slice(20), UNKNOWN_REPLY));
    expect(submitCount(fixture.gateway)).toBe(0);
    expect(errorsIn(fixture)).toEqual([]);
  });

  itVariants(['', 'x', unknownTaskId.toUpperCase(), `${unknownTaskId}0`, '~Li4vLi4', 'index', 'constructor'])(
    'A button with "%s" in place of a task id is reported as unknown, for every verb',
    async (task) => {
      const fixture = await startFastClockBot({ settings: noLimits });
      const ids = taskVerbs.map((verb) => `${verb}.1.${task}.0`);
      expect(await repliesTo(fixture, ids)).toEqual(expectedReplies(ids, UNKNOWN_REPLY));
      expect(submitCount(fixture.gateway)).toBe(0);
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  it('A press on a button of a task that does not exist is refused with that reason, for every verb', async () => {
    const fixture = await startFastClockBot({ settings: noLimits });
    const ids = taskVerbs.map((verb) => customIdOf(verb, unknownTaskId));
    const deletion = customIdOf('delete', unknownTaskId);
    expect(await repliesTo(fixture, ids)).toEqual({
      ...expectedReplies(ids, NO_TASK_REPLY),
      ...expectedReplies([deletion], NO_TASK_TO_DELETE_REPLY),
    });
    expect(submitCount(fixture.gateway)).toBe(0);
    expect(errorsIn(fixture)).toEqual([]);
  });
});

/** The task id in the buttons of a message. */
function taskOf(message: Message): string {
  const id = /(?:\.1\.|"value":")([0-9a-z]{17})/.exec(JSON.stringify(message.components))?.[1];
  if (id === undefined) throw new Error('The message has no task.');
  return id;
}

describe('A forged press on an existing task', () => {
  it('A press on a position that the task does not have is reported as unknown', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const task = taskOf(await orderGrid(fixture));
    const ids = ['a', 'w'].flatMap((verb) =>
      ['99', '9', '100', '-1', '1.5', '', 'x', '0x1', '~AA'].map((position) => `${verb}.1.${task}.${position}`),
    );
    const invalidIds = ['U0', 'U5', 'V9', 'R1', 'u1', '', 'UPSCALE', 'constructor'].map(
      (change) => `chg.1.${task}.${change}`,
    );
    invalidIds.push(`large.1.${task}.2K`, `large.1.${task}.8K`, `large.1.${task}`);
    const allIds = [...ids, ...invalidIds].filter((id) => !id.includes('1.5'));
    expect(await repliesTo(fixture, allIds.slice(0, 20))).toEqual(expectedReplies(allIds.slice(0, 20), UNKNOWN_REPLY));
    expect(await repliesTo(fixture, allIds.slice(20))).toEqual(expectedReplies(allIds.slice(20), UNKNOWN_REPLY));
    expect(submitCount(fixture.gateway)).toBe(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A press on a successful task finds nothing to decide, retry or continue', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const task = taskOf(await orderGrid(fixture));
    const expected = {
      [`again.1.${task}`]: 'already responded to this',
      [`dismiss.1.${task}`]: 'already responded to this',
      [`retry.1.${task}`]: 'has not failed',
      [`go.1.${task}`]: 'no longer needs a prompt',
    };
    const replies = await repliesTo(fixture, Object.keys(expected));
    for (const [id, words] of Object.entries(expected)) expect(replies[id]).toContain(words);
    expect(submitCount(fixture.gateway)).toBe(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  itVariants([
    ['is still running', 'stick', '%'],
    ['has failed', 'fail', 'This task failed'],
  ] as const)('A press on a task that %s sends nothing to the gateway', async (_, fault, words) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    fixture.gateway.faults.add({ do: fault });
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says(words));
    const task = taskOf(await (await fixture.discord.as('member').slash('tasks')).message());
    const ids = [`a.1.${task}.0`, `w.1.${task}.0`, `chg.1.${task}.U1`, `chg.1.${task}.R`, `all.1.${task}`];
    ids.push(`same.1.${task}`, `ref.1.${task}`, `film.1.${task}`, `large.1.${task}.2K`);
    const replies = await repliesTo(fixture, ids);
    for (const id of ids) expect(replies[id]).toMatch(/^(?:-# You pressed: .*\n)?Th(?:is|ere) /);
    expect(submitCount(fixture.gateway)).toBe(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A press on a button of a grid is refused for a single image', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const task = taskOf(await pressAndWait(fixture, await orderGrid(fixture), 'U1'));
    const ids = [`chg.1.${task}.U2`, `chg.1.${task}.R`, `all.1.${task}`];
    const replies = await repliesTo(fixture, ids);
    for (const id of ids) expect(replies[id]).toMatch(/^(?:-# You pressed: .*\n)?Th(?:is|ere) /);
    expect(submitCount(fixture.gateway)).toBe(2);
  });

  it('A press on another member’s private task is refused, for every verb', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const task = taskOf(await orderGrid(fixture, { private: true }));
    const ids = taskVerbs.map((verb) => customIdOf(verb, task));
    const replies = await repliesTo(fixture, ids, 'other');
    expect(replies).toEqual(expectedReplies(ids, 'Only the member who requested this can do that.'));
    expect(submitCount(fixture.gateway)).toBe(1);
    expect(JSON.stringify(fixture.discord.messages('studio').filter(({ ephemeral }) => !ephemeral))).not.toContain(
      'fox',
    );
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A forged Delete button does not delete a message that shows something else', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const first = await orderGrid(fixture);
    const second = await orderGrid(fixture, { prompt: 'a hare' });
    const forged = await postButtons(fixture, [`delete.1.${taskOf(first)}`]);
    await fixture.discord.as('member').click(forged, `delete.1.${taskOf(first)}`);
    await fixture.discord.until(() =>
      fixture.discord.messages('studio').every(({ id }) => id !== forged.id) ? true : undefined,
    );
    expect(fixture.discord.messages('studio').map(({ id }) => id)).toEqual(
      expect.arrayContaining([first.id, second.id]),
    );
    expect(errorsIn(fixture)).toEqual([]);
  });
});

describe('A select menu in place of buttons', () => {
  it('A forged value of a select menu is treated like a forged button', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const task = taskOf(await orderGrid(fixture));
    const values = [`a.1.${task}.99`, `a.2.${task}.0`, 'press.1', 'nothing', `delete.1.${unknownTaskId}`];
    const select = (custom_id: string): object => ({
      type: ComponentType.ActionRow,
      components: [
        { type: ComponentType.StringSelect, custom_id, options: values.map((value) => ({ label: value, value })) },
      ],
    });
    const list = await postMessage(fixture, [select('press.1')]);
    const expected = [UNKNOWN_REPLY, OUTDATED_REPLY, UNKNOWN_REPLY, UNKNOWN_REPLY, NO_TASK_TO_DELETE_REPLY];
    for (const [index, value] of values.entries()) {
      const exchange = await fixture.discord.as('member').choose(list, 'press.1', [value]);
      const { type } = await exchange.acknowledged();
      expect(text(type === DEFERRED_UPDATE ? await exchange.followUp() : await exchange.message())).toContain(
        expected[index],
      );
    }
    expect(submitCount(fixture.gateway)).toBe(1);
    expect(errorsIn(fixture)).toEqual([]);
  });
});

describe('A forged form', { tags: ['breadth'] }, () => {
  it('A form from another version, or of another task, is refused when it is submitted', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const member = fixture.discord.as('member');
    const single = await pressAndWait(fixture, await orderGrid(fixture), 'U1');
    const task = taskOf(single);
    const form = await (await member.click(single, 'Custom Zoom')).modal();
    const forged = {
      ...Object.fromEntries(formVerbs.map((verb) => [`${verb}.2.${task}.5`, OUTDATED_REPLY])),
      ...Object.fromEntries(['wf', 'gof', 'editf'].map((verb) => [`${verb}.1.${unknownTaskId}.5`, NO_TASK_REPLY])),
      ...Object.fromEntries(['reff', 'filmf'].map((verb) => [`${verb}.1.${unknownTaskId}`, NO_TASK_REPLY])),
      ...Object.fromEntries(formVerbs.map((verb) => [`${verb}.1.index.5`, UNKNOWN_REPLY])),
      [`wf.1.${task}.99`]: UNKNOWN_REPLY,
      // The form has the prompt of its parent.
      [`editf.1.${task}`]: UNKNOWN_REPLY,
      [`gof.1.${task}`]: 'no longer needs a prompt',
      'nothing.1': UNKNOWN_REPLY,
      ['x'.repeat(100)]: UNKNOWN_REPLY,
    };
    for (const [customId, words] of Object.entries(forged)) {
      const exchange = await member.fill({ ...form, customId }, { words: 'a wider fox' });
      const { type } = await exchange.acknowledged();
      expect(text(type === DEFERRED_UPDATE ? await exchange.followUp() : await exchange.message())).toContain(words);
    }
    expect(submitCount(fixture.gateway)).toBe(2);
    expect(jobs(fixture.gateway)).toHaveLength(2);
    expect(errorsIn(fixture)).toEqual([]);
  });
});
