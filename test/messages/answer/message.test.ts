import { describe, expect, it } from 'vitest';
import { say } from '../../../src/locales/index.ts';
import { answerMessages } from '../../../src/messages/answer/message.ts';
import { askStyle } from '../../../src/messages/answer/style.ts';
import {
  addRound,
  completeAnswer,
  endAnswerEarly,
  markAnswering,
  markAwaitingApproval,
  markPartsShown,
  markQuestionEdited,
  updateDraft,
} from '../../../src/services/conversations/ask-transitions.ts';
import type { AnswerCall } from '../../../src/services/tasks/answer.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { makeTask } from '../../services/store/store-fixture.ts';

const askTask = (request: object = {}): Task =>
  makeTask({ kind: 'ask', state: 'accepted', request: { prompt: 'why @everyone?', model: 'quill-5', ...request } });

const response = (text: string) => ({
  end: 'completed' as const,
  id: undefined,
  model: undefined,
  text,
  refusal: '',
  reasoning: '',
  calls: [],
  usage: undefined,
  cost: undefined,
  reason: undefined,
  error: undefined,
});

const call = (number: number): AnswerCall => ({
  callId: `c${number}`,
  name: 'make_image',
  arguments: JSON.stringify({ prompt: `fox ${number} `.repeat(40) }),
  state: 'waiting',
});

function render(task: Task) {
  const { first, further } = answerMessages(task, askStyle, say);
  const labels = (first.controls ?? []).map((one) => ('label' in one ? one.label : ''));
  return { content: first.content ?? '', labels, further, files: first.files ?? [], first };
}

describe('The message of an answer', () => {
  it('A proposed call names its whole model, however long its prompt is', () => {
    const proposal = { ...call(1), arguments: JSON.stringify({ prompt: 'fox '.repeat(40), model: 'reel-2-fast' }) };
    const { content } = render(markAwaitingApproval(addRound(askTask(), response(''), [proposal])));
    expect(content).toMatch(/fox f… \(reel-2-fast\)$/);
  });

  it('Only the first of several messages says that an edited question is not followed', () => {
    const text = 'A long answer about snow. '.repeat(150);
    const edited = markQuestionEdited(markAnswering(askTask(), []), 'why is rain wet?');
    const ended = completeAnswer(addRound(edited, response(text), []), undefined, 1);
    const { content, further } = render(markPartsShown(ended));
    expect(content).toContain('The question was edited after its answer had started.');
    expect(further.length).toBeGreaterThan(0);
    for (const { content: part } of further) expect(part).not.toContain('was edited');
  });

  it('The message of an answer shows what the model is doing before the first word arrives, with a stop button', () => {
    const { content, labels } = render(markAnswering(askTask(), []));
    expect(content).toContain('Thinking…');
    expect(labels).toEqual(['Stop']);
    expect(render(updateDraft(askTask(), '', 'searching', 0)).content).toContain('Searching the web…');
  });

  it('The message of an answer says that the answer reached its limit, with the reason that the gateway gave', () => {
    const { content, labels } = render(
      completeAnswer(addRound(askTask(), response('So far'), []), 'max_output_tokens', 1),
    );
    expect(content).toContain('So far');
    expect(content).toContain('stopped before finishing its answer (max\\_output\\_tokens)');
    expect(labels[0]).toBe('Continue');
  });

  it('The message of an answer says that the answer is empty, or that its JSON is invalid', () => {
    expect(render(completeAnswer(addRound(askTask(), response(''), []), undefined, 1)).content).toContain(
      'empty answer',
    );
    const invalid = completeAnswer(addRound(askTask({ format: 'json' }), response('{"a":'), []), undefined, 1);
    expect(render(invalid).content).toContain('did not return valid JSON');
    const valid = completeAnswer(addRound(askTask({ format: 'json' }), response('{"a":1}'), []), undefined, 1);
    expect(render(valid).content).toContain('```json\n{"a":1}\n```');
  });

  it('The message of an answer reserves space for its notes, but the answer takes precedence', () => {
    const words = 'word '.repeat(2_000);
    const calls = Array.from({ length: 4 }, (_, index) => call(index + 1));
    for (const task of [
      markAwaitingApproval(addRound(markAnswering(askTask(), ['tools', 'reasoning']), response(words), calls)),
      endAnswerEarly(updateDraft(markAnswering(askTask(), ['tools']), words, undefined, 0), 'cut', undefined, 1),
    ]) {
      const { content, labels, further } = render(task);
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content).toContain('word word');
      for (const plan of further) expect(plan.content?.length).toBeLessThanOrEqual(2_000);
      expect(labels.length).toBeLessThanOrEqual(25);
    }
  });

  it('The message of an answer says that the model got only the end of the previous answer, and which files were ignored', () => {
    const cut = markAnswering(
      askTask({ ignoredFiles: 2, pictures: [{ address: 'https://cdn.test/fox.png', name: 'fox_1.png' }] }),
      [],
      { isMemoryCut: true },
    );
    const { content } = render(completeAnswer(addRound(cut, response('Yes.'), []), undefined, 1));
    expect(content).toContain('-# The previous answer is too long, so only its end was sent to the model.');
    expect(content).toContain(
      '-# 2 files were not sent, because a question takes at most two files, one of them an image. Sent: fox\\_1.png.',
    );
  });

  it('The message of an answer with an unknown outcome gives the reason', () => {
    const failure = { cause: 'unconfirmed' as const, reason: 'the connection was reset' };
    expect(render({ ...askTask(), state: 'unconfirmed', failure }).content).toContain(
      'It may still run and be charged.\nReason: the connection was reset.',
    );
  });

  it('The message of an answer always shows the tool calls that wait for approval', () => {
    const calls = Array.from({ length: 4 }, (_, index) => call(index + 1));
    const finishedCalls = Array.from({ length: 5 }, (_, index) => ({ ...call(index + 5), state: 'done' as const }));
    const longTask = askTask({ prompt: '_why_ '.repeat(400), model: 'm'.repeat(300), effort: 'minimal' });
    const firstRound = addRound(
      { ...markAnswering(longTask, ['tools', 'reasoning']), model: 'm'.repeat(300) },
      response('word '.repeat(900)),
      finishedCalls,
    );
    const link = `https://discord.com/channels/${'1'.repeat(20)}/${'2'.repeat(20)}/${'3'.repeat(20)}`;
    const { first } = answerMessages(markAwaitingApproval(addRound(firstRound, response('x'), calls)), askStyle, say, {
      parentLink: link,
      notes: [],
    });
    for (const number of [1, 2, 3, 4]) expect(first.content).toContain(`${number}. Image: fox ${number}`);
    expect(first.content?.length).toBeLessThanOrEqual(2_000);
  });

  it('The message of an answer has the whole answer attached as a file if further messages could not be posted', () => {
    const task = completeAnswer(addRound(askTask(), response('word '.repeat(1_000)), []), undefined, 1);
    expect(render(task).files.map(({ name }) => name)).toEqual(['why-everyone-answer.md']);
    expect(render(task).content).toContain('-# The full answer is in the attached file `why-everyone-answer.md`.');
    expect(render({ ...task, answer: { ...task.answer, areShown: true } as Task['answer'] }).files).toEqual([]);
  });

  it('The last message of an answer for which a group DM has too few messages names the file with the rest', () => {
    const started = { ...askTask(), route: { ...askTask().route, install: 'user' as const } };
    const running = addRound(started, response('word '.repeat(3_000)), []);
    const lastOf = (task: Task) => answerMessages(task, askStyle, say).further.at(-1)?.content;
    expect(lastOf(running)).toContain('-# The rest will be attached as a file.');
    expect(lastOf(completeAnswer(running, undefined, 1))).toContain(
      '-# The rest is in the attached file `why-everyone-the-rest.md`.',
    );
  });

  it('The message of an answer notifies no one, even if it contains mentions', () => {
    expect(
      render(completeAnswer(addRound(askTask(), response('<@1> @everyone'), []), undefined, 1)).first,
    ).not.toHaveProperty('notifies');
  });
});
