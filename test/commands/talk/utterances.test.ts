import { describe, expect, it } from 'vitest';
import { readUtterance, requireOpenTalk, utteranceRequest } from '../../../src/commands/talk/feature.ts';
import { Refusal, throwIfRefusal } from '../../../src/lib/refusal.ts';
import { talkSpecs } from '../../../src/services/conversations/talk-session.ts';
import type { TaskOf } from '../../../src/services/tasks/task.ts';
import { makeTask } from '../../services/store/store-fixture.ts';
import { ofKind, type Parts } from '../../support/tasks.ts';

const talk = (request: object = {}, changes: Pick<Parts, 'state'> = {}): TaskOf<'talk'> =>
  ofKind(
    'talk',
    makeTask({ kind: 'talk', channelId: '3', request: { model: 'm', who: 'me', ...request }, ...changes }),
  );

const inThread = (memberId: string) => ({ memberId, channelId: '3' });
const sound = { address: 'https://example.org/a.ogg', name: 'a.ogg', size: 7 };

describe('The permission to speak in a live conversation', () => {
  it('The owner of a live conversation can speak, and everyone can if the live conversation is open to everyone', () => {
    const conversation = talk();
    expect(requireOpenTalk(conversation, inThread('ann'))).toBe(conversation);
    expect(() => requireOpenTalk(conversation, inThread('bob'))).toThrow(new Refusal('refusals.talkOnlyOwner'));
    expect(requireOpenTalk(talk({ who: 'everyone' }), inThread('bob'))).toBeDefined();
  });

  it('A member can speak only in the thread of the live conversation, and only while it is open', () => {
    expect(() => requireOpenTalk(talk(), { memberId: 'ann', channelId: '4' })).toThrow(
      new Refusal('refusals.talkElsewhere'),
    );
    expect(() => requireOpenTalk(talk({}, { state: 'delivered' }), inThread('ann'))).toThrow(
      new Refusal('refusals.talkOver'),
    );
  });

  it('A forged id does not let a member speak in a task that is not a live conversation', () => {
    expect(() => requireOpenTalk(makeTask({ channelId: '3' }), inThread('ann'))).toThrow(
      new Refusal('refusals.unknownButton'),
    );
  });
});

describe('An utterance', () => {
  it('An utterance contains text, audio or both, and its stored form can be parsed', () => {
    const task = talk({ isClosed: true });
    const common = { talk: task.id, model: 'm', isClosed: true };
    const requestFor = (input: Parameters<typeof readUtterance>[0]) =>
      utteranceRequest(task, throwIfRefusal(readUtterance(input)));
    const storedSound = { address: sound.address, name: sound.name };
    expect(requestFor({ words: ' hello\n' })).toEqual({ ...common, prompt: 'hello' });
    expect(requestFor({ words: '\u200b ', sound })).toEqual({ ...common, sound: storedSound });
    expect(talkSpecs.said.request.parse(requestFor({ words: 'and?', sound }))).toEqual({
      ...common,
      prompt: 'and?',
      sound: storedSound,
    });
  });

  it('An utterance cannot be empty', () => {
    for (const words of ['', ' \n', '\u200b\u2060']) {
      expect(readUtterance({ words })).toEqual(new Refusal('refusals.talkNothing'));
      expect(readUtterance({ words, sound })).not.toBeInstanceOf(Refusal);
    }
  });
});
