import { describe, expect, it } from 'vitest';
import { validateBody } from '../../sandbox/discord/validation/index.ts';
import { bodyOf } from '../../src/discord/message-body.ts';
import { say } from '../../src/locales/index.ts';
import { answerMessages } from '../../src/messages/answer/message.ts';
import {
  talkMessage,
  talkNotice,
  talkStyle,
  transcript,
  turnLines,
  voiceMessage,
} from '../../src/messages/talk-message.ts';
import { EMPTY_ANSWER } from '../../src/services/tasks/answer.ts';
import type { TalkEnd, Task, TaskOf } from '../../src/services/tasks/task.ts';
import { makeTask } from '../services/store/store-fixture.ts';
import { ofKind, type Parts } from '../support/tasks.ts';

const talkTask = (request: object = {}, end?: TalkEnd): TaskOf<'talk'> =>
  ofKind(
    'talk',
    makeTask({
      kind: 'talk',
      state: end ? 'ready' : 'running',
      model: 'aria-realtime',
      request: { model: 'aria-realtime', who: 'me', ...request },
      talk: { turns: [], heardAt: 0, ...(end && { end }) },
    }),
  );

const utteranceTask = (changes: Omit<Parts, 'route' | 'times'> = {}): Task =>
  makeTask({ kind: 'said', request: { talk: 'x', model: 'aria-realtime', prompt: 'how *are* you?' }, ...changes });

const openingMessage = (task: TaskOf<'talk'>, hearsMessages = false) => talkMessage(task, hearsMessages, say);
const labelsOf = (plan: { controls?: readonly object[] }) =>
  (plan.controls ?? []).map((one) => ('label' in one ? one.label : ''));

describe('The message of a live conversation', () => {
  it('The message of a live conversation names its listeners, its model and its voice, explains how to speak and pings no one', () => {
    const plan = openingMessage(talkTask({ voice: 'marin', instructions: 'be @everyone *brief*' }));
    expect(plan.content).toContain('The model listens only to <@ann>.');
    expect(plan.content).toContain('Press **Speak**');
    expect(plan.content).toContain('aria-realtime · Voice: marin');
    expect(plan.content).toContain('\\*brief\\*');
    expect(labelsOf(plan)).toEqual(['Speak', 'End']);
    expect(bodyOf(plan).body.allowed_mentions).toEqual({ parse: [] });
  });

  it('The message of a live conversation says whether the model listens to everyone, and whether members can write in the thread', () => {
    expect(openingMessage(talkTask({ who: 'everyone' })).content).toContain('The model listens to everyone here.');
    expect(openingMessage(talkTask(), true).content).toContain('Write here');
  });

  it.each([
    ['ended', 'has ended.'],
    ['idle', 'of inactivity'],
    ['lost', 'ended unexpectedly'],
  ] as const)(
    'The message of a live conversation that ended (%s) says so, has no buttons and suggests a new one',
    (end, expected) => {
      const plan = openingMessage(talkTask({}, end));
      expect(plan.content).toContain(expected);
      expect(plan.content).toContain('/talk start');
      expect(labelsOf(plan)).toEqual([]);
      expect(talkNotice(talkTask({}, end), say).content).toContain(expected);
    },
  );

  it('Discord accepts the message of a live conversation with the longest instructions', () => {
    const plan = openingMessage(talkTask({ instructions: '`*_'.repeat(600), voice: '|'.repeat(60) }));
    expect(validateBody('channel-message', bodyOf(plan).body)).toEqual([]);
  });
});

const utteranceMessage = (task: Task, { isInterrupted = false, isTalkOver = false } = {}) =>
  answerMessages(
    task,
    talkStyle(
      () => isInterrupted,
      () => isTalkOver,
    ),
    say,
  ).first;

describe('The message of an utterance', () => {
  it('The message of an utterance shows its text and has a stop button during the reply', () => {
    const plan = utteranceMessage(utteranceTask({ answer: { ...EMPTY_ANSWER, draft: 'Fine' } }));
    expect(plan.content).toContain('how \\*are\\* you?');
    expect(plan.content).toContain('Fine');
    expect(plan.content).not.toContain('Model');
    expect(labelsOf(plan)).toEqual(['Stop']);
  });

  it('The message of an audio utterance shows its transcript', () => {
    const request = { talk: 'x', model: 'aria-realtime', sound: { address: 'https://example.org/a', name: 'a' } };
    const plan = utteranceMessage(
      utteranceTask({
        request,
        state: 'delivered',
        text: 'Fine',
        answer: { ...EMPTY_ANSWER, heard: 'are you `there`' },
      }),
    );
    expect(plan.content).toContain('🎙️ Voice message');
    expect(plan.content).toContain('Heard: “are you \\`there\\`”');
    expect(labelsOf(plan)).toEqual(['Speak', 'Delete']);
  });

  it.each([
    ['stopped', 'Stopped'],
    ['interrupted', 'Send your message again'],
    ['cut', 'connection to the gateway was lost'],
    ['failed', 'gave no reason'],
  ] as const)(
    'The message of an utterance whose reply broke off (%s) keeps the text of the reply and says so',
    (cause, expected) => {
      const plan = utteranceMessage(utteranceTask({ state: 'failed', text: 'Fine so', failure: { cause } }));
      expect(plan.content).toContain('Fine so');
      expect(plan.content).toContain(expected);
      expect(labelsOf(plan)).toEqual(['Speak', 'Delete']);
    },
  );

  it('After the end of a live conversation, the message of an utterance offers no further one', () => {
    expect(labelsOf(utteranceMessage(utteranceTask({ state: 'delivered' }), { isTalkOver: true }))).toEqual(['Delete']);
  });

  it('The message of an interrupted reply says that it was interrupted', () => {
    const task = utteranceTask({ state: 'cancelled', failure: { cause: 'stopped' } });
    expect(utteranceMessage(task, { isInterrupted: true }).content).toContain('Interrupted by a new message');
  });

  it('The message of an utterance whose audio reply was cut short says so', () => {
    const voice = { seconds: 600, waveform: 'AAAA', isCut: true as const };
    expect(
      utteranceMessage(utteranceTask({ state: 'delivered', answer: { ...EMPTY_ANSWER, voice } })).content,
    ).toContain('was cut short');
  });

  it('The message of an unconfirmed utterance offers its owner a retry and a dismissal', () => {
    const plan = utteranceMessage(utteranceTask({ state: 'unconfirmed', failure: { cause: 'unconfirmed' } }));
    expect(labelsOf(plan)).toEqual(['Try again (may be charged twice)', 'Dismiss']);
  });
});

describe('The voice message of a reply', () => {
  const voice = { seconds: 2.4, waveform: 'AAAA', sound: Buffer.from('OggS').toString('base64') };
  const task = utteranceTask({ answer: { ...EMPTY_ANSWER, voice } });

  it('A voice message contains only its audio', () => {
    const { body, files } = bodyOf({ ...voiceMessage(task, say), repliesTo: '900000000000000001' });
    expect(body).toEqual({
      flags: 1 << 13,
      components: [],
      attachments: [{ id: 0, filename: 'voice-message.ogg', duration_secs: 2.4, waveform: 'AAAA' }],
      allowed_mentions: { parse: [] },
      message_reference: { message_id: '900000000000000001' },
    });
    expect(files).toEqual([{ name: 'voice-message.ogg', data: Buffer.from('OggS') }]);
  });

  it('A voice message is sent as a plain file with a line of text if voice messages are not permitted', () => {
    const { body, files } = bodyOf(voiceMessage(task, say, { asFile: true }));
    expect(body.content).toContain('Voice reply (2 sec)');
    expect(body.flags).toBeUndefined();
    expect(files).toHaveLength(1);
  });
});

describe('The transcript of a live conversation', () => {
  const turns = Array.from({ length: 7 }, (_, index) =>
    utteranceTask({ request: { talk: 'x', model: 'm', prompt: `question ${index}` }, text: `answer ${index}` }),
  );

  it('The transcript of a live conversation shows the last turns', () => {
    const lines = turnLines(turns, say).join('\n');
    expect(lines).toContain('2 earlier messages are not shown');
    expect(lines).not.toContain('question 1');
    expect(lines).toContain('<@ann>: question 2\n↳ answer 2');
  });

  it('A transcript that is too long for a message is attached as a file', () => {
    const { body, files } = bodyOf(transcript(talkTask(), Array.from({ length: 20 }, () => turns).flat(), say));
    expect(body.content?.length).toBeLessThanOrEqual(2_000);
    expect(files[0]?.data.toString().match(/answer 6/g)).toHaveLength(20);
    expect(transcript(talkTask(), [], say).content).toContain('This conversation has no messages.');
  });
});
