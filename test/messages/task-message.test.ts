import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../src/discord/message-body.ts';
import { say } from '../../src/locales/index.ts';
import { NOTHING_SHOWN, taskMessage } from '../../src/messages/task-message.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { buildTask, start } from '../services/orders/builders.ts';
import type { Parts } from '../support/tasks.ts';
import { context } from './context.ts';

const contentOf = (task: Task): string => taskMessage(task, context, say).content ?? '';
const labelsOf = (task: Task): string[] =>
  (taskMessage(task, context, say).controls ?? []).flatMap((control) => ('label' in control ? control.label : []));

describe('The message of a task', () => {
  it.each([
    ['submitting', {}, 'Submitting to the gateway…'],
    ['accepted', {}, 'Queued at the gateway <t:'],
    ['accepted', { times: { created: start, accepted: start + 12_000 } }, `<t:${start / 1_000 + 12}:R>`],
    ['queued', { queuedBehind: 1 }, '1 task is ahead of yours.'],
    ['queued', { queuedBehind: 3 }, '3 tasks are ahead of yours.'],
    ['running', { progress: 50 }, '▰▰▰▰▰▰▱▱▱▱▱▱ 50%'],
    ['running', { times: { created: start, overdue: start } }, 'longer than usual'],
    ['needs-input', {}, 'needs a prompt'],
    ['failed', { failure: { cause: 'failed', reason: 'too *bold*' } }, 'This task failed: too \\*bold\\*'],
    ['failed', { failure: { cause: 'failed' } }, 'gave no reason'],
    ['failed', { failure: { cause: 'forgotten' } }, 'no longer has this task'],
    ['cancelled', { failure: { cause: 'cancelled' } }, 'The gateway canceled this task'],
    ['cancelled', { failure: { cause: 'dismissed' } }, 'Dismissed.'],
    ['expired', {}, 'This task expired'],
    ['unconfirmed', { failure: { cause: 'unconfirmed', reason: 'reset' } }, 'Reason: reset'],
    ['ready', {}, 'Finished without a result'],
    ['delivered', { media: [{ kind: 'image', firstSeenAt: start }] }, 'Finished in'],
  ] satisfies [Task['state'], Parts, string][])(
    'The message of a task that is %s (%j) contains "%s"',
    (state, changes, expected) => {
      expect(contentOf(buildTask({ state, ...changes }))).toContain(expected);
    },
  );

  it('The message of a task that waits names its place, and when it probably starts if that is known', () => {
    const task = buildTask({ state: 'waiting', place: 3 });
    expect(contentOf(task)).toContain('Position in the queue: **3**. Press **Cancel** to leave the queue at no cost.');
    const outlook = { ...context.outlook, turnAt: () => start + 240_000 };
    expect(taskMessage(task, { ...context, outlook }, say).content).toContain(
      `Position in the queue: **3**. It probably starts <t:${start / 1_000 + 240}:R>. Press **Cancel**`,
    );
  });

  it.each([
    ['submitting', {}, []],
    ['waiting', {}, ['Cancel']],
    ['running', {}, []],
    ['needs-input', {}, ['Continue']],
    ['needs-input', { request: { prompt: 'a fox', words: 'a hare' } }, []],
    ['needs-input', { times: { created: start, wordsSent: start } }, []],
    ['unconfirmed', {}, ['Try again (may be charged twice)', 'Dismiss']],
    ['failed', {}, ['Retry', 'Edit and retry', 'Delete']],
    [
      'failed',
      { kind: 'change', request: { of: '1', label: 'R', prompt: 'a fox', action: 'REROLL', index: 1 } },
      ['Retry', 'Delete'],
    ],
    ['cancelled', { failure: { cause: 'dismissed' } }, ['Delete']],
    ['delivered', {}, ['Delete']],
  ] satisfies [Task['state'], Parts, string[]][])(
    'The message of a task that is %s (%j) has the buttons %j',
    (state, changes, labels) => {
      expect(labelsOf(buildTask({ state, ...changes }))).toEqual(labels);
    },
  );

  it('The message of a follow-up has a title and a link to its parent', () => {
    const request = { of: '1', label: 'V3', customId: 'MJ::JOB::variation::3::uuid', prompt: 'a fox' };
    const task = buildTask({ state: 'running', kind: 'action', request });
    expect(contentOf(task)).toContain('-# Variation of image 3\n');
    const parentLink = 'https://discord.com/channels/1/2/3';
    const shown = { ...NOTHING_SHOWN, parentLink };
    expect(taskMessage(task, context, say, shown).content).toContain(`Variation of image 3 · [source](${parentLink})`);
  });

  it('The message of a task links or explains each result that is not attached', () => {
    const shown = {
      ...NOTHING_SHOWN,
      links: [{ address: 'https://files.example/1' }, { address: 'https://files.example/2', expiresAt: start }],
      originals: ['https://files.example/3'],
      failedDownloads: 2,
      invalidCount: 1,
    };
    const content = taskMessage(buildTask({ state: 'ready' }), context, say, shown).content;
    expect(content).toContain('These results could not be attached:\nhttps://files.example/1\n');
    expect(content).toContain(`\nhttps://files.example/2 (available until <t:${start / 1000}:f>)\n`);
    expect(content).toContain('The original is at https://files.example/3');
    expect(content).toContain('2 results could not be downloaded.');
    expect(content).toContain('1 result could not be shown');
  });

  it.each([
    '@everyone <@123456789012345678> <#1> </imagine:1>',
    '**bold** _it_ ~~no~~ ||spoiler|| `code` ```block```',
    '> quote\n# title\n- list',
    '[a link](https://evil.example) https://evil.example/x',
    '\\*already\\* escaped \\',
    'x'.repeat(6_000),
    '🦊'.repeat(3_000),
  ])('The message of a task shows a prompt as plain text: %j', (prompt) => {
    const task = buildTask({ state: 'running', request: { prompt } });
    const content = contentOf(task);
    const [headline = ''] = content.split('\n');
    // Every special character is escaped, and a URL is not embedded.
    const shownPrompt = headline.slice(2, headline.lastIndexOf('** ·')).replace(/<https?:[^>]*>/g, '');
    expect(shownPrompt.replace(/\\[\\*_~`|<>[\]()]/g, '')).not.toMatch(/[*_~`|<>[\]()]/);
    expect(content.length).toBeLessThanOrEqual(2_500);
    expect(bodyOf(taskMessage(task, context, say)).body.content?.length).toBeLessThanOrEqual(2_000);
  });
});
