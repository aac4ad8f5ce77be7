import { describe, expect, it } from 'vitest';
import {
  addTurn,
  concludeAnswer,
  endTalk,
  markRunning,
  removeTurn,
  setTranscript,
} from '../../../src/services/conversations/talk-transitions.ts';
import type { RealtimeResponse } from '../../../src/services/gateway/realtime-events.ts';
import { factOfTask } from '../../../src/services/money/entry.ts';
import { exportText } from '../../../src/services/orders/own-data/exports.ts';
import {
  dropVoiceAudio,
  markDelivered,
  markPingDue,
  markPinged,
  markUndeliverable,
} from '../../../src/services/tasks/delivery-state.ts';
import { withRequest } from '../../../src/services/tasks/task.ts';
import { summaryOf } from '../../../src/services/tasks/task-summary.ts';
import { withChanges } from '../../support/tasks.ts';
import { buildTask, start } from '../orders/builders.ts';

const talk = buildTask({ kind: 'talk', state: 'accepted', request: { model: 'parley', who: 'me' } });
const utterance = buildTask({
  kind: 'said',
  state: 'running',
  request: { talk: talk.id, model: 'parley', prompt: 'Hello' },
});
const usage = { input: 10, output: 20, cached: 0, audioInput: 5, audioOutput: 15 };
const voice = { seconds: 2, waveform: 'AAEC', sound: 'T2dnUw==' };

function response(changes: Partial<RealtimeResponse> = {}): RealtimeResponse {
  return { id: 'resp-1', end: 'completed', text: 'Good day.', usage, ...changes };
}

const outcome = (changes: Partial<RealtimeResponse> = {}, details: object = {}) => ({
  response: response(changes),
  hasContent: true,
  voice,
  stopReason: undefined,
  ...details,
});

describe('A conversation', () => {
  it('A conversation remembers each utterance once, in order, and at most five hundred', () => {
    let conversation = markRunning(talk);
    for (let index = 0; index < 600; index++) conversation = addTurn(conversation, `said-${index}`, start + index);
    expect(addTurn(conversation, 'said-599', start + 10_000)).toBe(conversation);
    expect(conversation.talk?.turns).toHaveLength(500);
    expect(conversation.talk?.turns.at(-1)).toBe('said-599');
    expect(conversation.talk?.heardAt).toBe(start + 599);
    expect(removeTurn(conversation, 'said-599').talk?.turns).not.toContain('said-599');
  });

  it('A conversation ends once and keeps the reason', () => {
    const endedTalk = endTalk(markRunning(talk), 'idle', start + 1);
    expect(endedTalk).toMatchObject({ state: 'ready', talk: { end: 'idle' }, times: { ended: start + 1 } });
    expect(endTalk(endedTalk, 'ended', start + 2)).toBe(endedTalk);
    expect(markRunning(endedTalk)).toBe(endedTalk);
  });

  it('A conversation is summarised by its instructions or its model, and an utterance by its text or its transcript', () => {
    expect(summaryOf(talk).summary).toBe('parley');
    expect(summaryOf(withRequest(talk, { instructions: 'Be a pirate.' })).summary).toBe('Be a pirate.');
    expect(summaryOf(utterance).summary).toBe('Hello');
    expect(
      summaryOf(setTranscript(withChanges(utterance, { request: { talk: talk.id, model: 'parley' } }), 'a clear sound'))
        .summary,
    ).toBe('a clear sound');
  });

  it('A conversation is private in lists if its thread is private', () => {
    expect(summaryOf(talk).isPrivate).toBe(false);
    expect(summaryOf(withRequest(utterance, { isClosed: true })).isPrivate).toBe(true);
  });
});

describe('The end of an answer', () => {
  it('The end of an answer adds text, audio and usage in one step, and counts each response once', () => {
    const endedUtterance = concludeAnswer(utterance, outcome(), start + 1);
    expect(endedUtterance).toMatchObject({ state: 'ready', text: 'Good day.', times: { ended: start + 1 } });
    expect(endedUtterance.answer).toMatchObject({ voice, tokens: usage, counted: ['resp-1'], draft: '' });
    const second = concludeAnswer({ ...endedUtterance, state: 'running' }, outcome(), start + 2);
    expect(second.answer?.tokens).toEqual(usage);
    expect(factOfTask(endedUtterance)).toEqual({ standing: 'settled', at: start + 1, tokens: usage });
  });

  it.each([
    ['cancelled', 'stopped', 'cancelled', 'stopped'],
    ['cancelled', 'interrupted', 'failed', 'interrupted'],
    ['cancelled', undefined, 'failed', 'cut'],
    ['failed', undefined, 'failed', 'failed'],
    ['failed', 'stopped', 'cancelled', 'stopped'],
    ['cut', undefined, 'failed', 'cut'],
    ['completed', 'stopped', 'ready', undefined],
  ] as const)(
    'The end of an answer with the result %s and the stop reason %s leaves it %s with the cause %s, its text and its usage',
    (end, stopReason, state, cause) => {
      const endedUtterance = concludeAnswer(utterance, outcome({ end }, { stopReason }), start + 1);
      expect(endedUtterance.state).toBe(state);
      expect(endedUtterance.failure?.cause).toBe(cause);
      expect(endedUtterance.text).toBe('Good day.');
      expect(factOfTask(endedUtterance)).toMatchObject({ standing: 'settled', tokens: usage });
    },
  );

  it('The end of an answer keeps the text received so far if the last event is empty, and reports why an answer is incomplete', () => {
    const partial = { ...utterance, answer: { rounds: [], draft: 'Good', without: [], parts: [] } };
    expect(concludeAnswer(partial, outcome({ end: 'cut', text: '', usage: undefined }), start).text).toBe('Good');
    const endedUtterance = concludeAnswer(
      utterance,
      outcome({ end: 'incomplete', reason: 'max_output_tokens' }),
      start,
    );
    expect(endedUtterance).toMatchObject({ state: 'ready', answer: { incomplete: 'max_output_tokens' } });
  });

  it('The end of an answer is not charged if neither content nor usage arrived', () => {
    const emptyOutcome = outcome(
      { end: 'failed', text: '', usage: undefined },
      { hasContent: false, voice: undefined },
    );
    expect(factOfTask(concludeAnswer(utterance, emptyOutcome, start)).standing).toBe('refunded');
    const contentOnly = outcome({ end: 'failed', text: '', usage: undefined }, { voice: undefined });
    expect(factOfTask(concludeAnswer(utterance, contentOnly, start)).standing).toBe('settled');
  });
});

describe('The audio of an answer', () => {
  const endedUtterance = concludeAnswer(utterance, outcome(), start);
  const messageRef = { channelId: 'c', id: 'm' };

  it('The audio of an answer is stored only until Discord has it or cannot accept it', () => {
    const withPendingPing = markPingDue(endedUtterance, messageRef, start);
    expect(withPendingPing.answer?.voice?.sound).toBe(voice.sound);
    const voiceWithoutAudio = { seconds: 2, waveform: 'AAEC' };
    for (const withoutAudio of [
      dropVoiceAudio(withPendingPing),
      markPinged(withPendingPing, start),
      markDelivered(endedUtterance, messageRef, start),
      markUndeliverable(endedUtterance, 'deleted', start),
    ]) {
      expect(withoutAudio.answer?.voice).toEqual(voiceWithoutAudio);
      expect(dropVoiceAudio(withoutAudio)).toBe(withoutAudio);
    }
  });

  it('The audio of an answer is not part of an export', async () => {
    async function* tasks() {
      yield endedUtterance;
    }
    const counts = { tasks: 0, entries: 0 };
    const exported = exportText(
      {
        memberId: 'm',
        now: start,
        tasks: tasks(),
        entries: undefined,
        partitions: [],
      },
      counts,
    );
    const text = (await Array.fromAsync(exported)).join('');
    expect(text).toContain('Good day.');
    expect(text).not.toContain(voice.sound);
  });
});
