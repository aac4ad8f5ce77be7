import { describe, expect, it } from 'vitest';
import {
  addRound,
  completeAnswer,
  endAnswerEarly,
  markAwaitingApproval,
  withPartialText,
  withUnfinishedResponse,
} from '../../../../src/services/conversations/ask-transitions.ts';
import type { TextResponse } from '../../../../src/services/gateway/response-events.ts';
import { makeTask } from '../../store/store-fixture.ts';

const task = makeTask({ kind: 'ask', request: { prompt: 'snow?', model: 'quill-5' } });

const response: TextResponse = {
  end: 'completed',
  id: undefined,
  model: undefined,
  text: 'So',
  refusal: '',
  reasoning: '',
  calls: [],
  usage: undefined,
  cost: undefined,
  reason: undefined,
  error: undefined,
};

const call = { callId: 'c', name: 'make_image', arguments: '{}', state: 'waiting' } as const;

describe('The cost of an answer', () => {
  it('The cost of an answer is the exact sum of the costs of its responses', () => {
    const afterTwoRounds = addRound(addRound(task, response, [call], '0.10'), response, [], '0.000000000000000000001');
    expect(completeAnswer(afterTwoRounds, undefined, 1).cost).toBe('0.100000000000000000001');
  });

  it('The cost of an answer is unknown if the cost of any of its responses is unknown', () => {
    for (const costs of [
      [undefined, '0.1'],
      ['0.1', undefined],
    ] as const) {
      const afterTwoRounds = addRound(addRound(task, response, [], costs[0]), response, [], costs[1]);
      expect(completeAnswer(afterTwoRounds, undefined, 1).cost).toBeUndefined();
    }
    expect(completeAnswer(task, undefined, 1).cost).toBeUndefined();
  });

  it('The cost of an answer that ends early includes the cost of its last response if that was reported, and is unknown otherwise', () => {
    const afterOneRound = addRound(task, response, [call], '0.10');
    expect(endAnswerEarly(withPartialText(afterOneRound, response, '0.2'), 'cut', undefined, 1).cost).toBe('0.30');
    expect(endAnswerEarly(withUnfinishedResponse(afterOneRound), 'interrupted', undefined, 1).cost).toBeUndefined();
  });

  it('The cost of an answer is known if its owner stops it instead of approving or declining a tool call', () => {
    const waitingTask = markAwaitingApproval(addRound(task, response, [call], '0.10'));
    expect(endAnswerEarly(withUnfinishedResponse(waitingTask), 'stopped', undefined, 1).cost).toBe('0.10');
  });
});
