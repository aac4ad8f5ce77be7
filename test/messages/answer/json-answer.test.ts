import { describe, expect, it } from 'vitest';
import { say } from '../../../src/locales/index.ts';
import { answerMessages } from '../../../src/messages/answer/message.ts';
import { askStyle } from '../../../src/messages/answer/style.ts';
import {
  addRound,
  completeAnswer,
  updateDraft,
  withSchemaCheck,
} from '../../../src/services/conversations/ask-transitions.ts';
import type { SchemaCheck } from '../../../src/services/tasks/answer.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { makeTask } from '../../services/store/store-fixture.ts';

const request = { prompt: 'why?', model: 'quill-5', format: 'json', schema: '{"type":"object"}' };
const askTask: Task = makeTask({ kind: 'ask', state: 'running', request });
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
const validCheck: SchemaCheck = { misfits: [], count: 0, isUnfinished: false };

function render(task: Task) {
  const { first, further } = answerMessages(task, askStyle, say);
  const files = (first.files ?? []).map((file) => ('bytes' in file ? [file.name, String(file.bytes)] : []));
  return { content: first.content ?? '', files, further };
}

const renderAnswer = (text: string, check: SchemaCheck = validCheck) =>
  render(completeAnswer(withSchemaCheck(addRound(askTask, response(text), []), { text, check }), undefined, 1));

describe('The message of an answer with a schema', () => {
  it('While a JSON answer is streamed, its message shows only the first lines and has no file', () => {
    const draft = `{${'"a": 1,\n'.repeat(2_000)}`;
    const { content, files, further } = render(updateDraft(askTask, draft, undefined, 0));
    expect(content).toContain('```json\n{"a": 1,\n');
    expect(content.length).toBeLessThan(2_000);
    expect([files, further]).toEqual([[], []]);
  });

  it('A string in a JSON answer cannot close the code block, and the attached file contains it unchanged', () => {
    const text = '{\n  "a": "```` @everyone ```"\n}';
    const { content, files } = renderAnswer(text);
    expect(content.match(/```/g)).toHaveLength(2);
    const [, code = ''] = /```json\n([\s\S]*)\n```/.exec(content) ?? [];
    expect(JSON.parse(code)).toEqual(JSON.parse(text));
    expect(files).toEqual([['why-answer.json', text]]);
  });

  it('Schema mismatches are listed one per line with unsafe names escaped, and those that do not fit are counted', () => {
    const path = `/\`**\u202e\n${'x'.repeat(300)}`;
    const mismatches = [
      { at: '', rule: 'required' as const, expected: 'name' },
      ...Array.from({ length: 4 }, () => ({ at: path, rule: 'type' as const, expected: 'y`'.repeat(100) })),
    ];
    const { content } = renderAnswer(`{\n${'  "a": 1,\n'.repeat(500)}}`, {
      misfits: mismatches,
      count: 9,
      isUnfinished: false,
    });
    expect(content).toContain('-# The answer is missing `name`.');
    expect(content.match(/must be of type/g)).toHaveLength(4);
    expect(content).toContain('-# …and 4 more.');
    expect(content).not.toMatch(/\u202e|`\*\*/);
    expect(content).toMatch(/The full answer is in the attached file `[^`]*answer\.json`\./);
    expect(content.length).toBeLessThanOrEqual(2_000);
  });

  it('The message of an answer that could not be checked says so, and shows the answer as received', () => {
    const { content } = renderAnswer('{"a":1}', { ...validCheck, isUnfinished: true });
    expect(content).toContain('{"a":1}');
    expect(content).toContain('could not be checked against the schema');
  });

  it('An answer that should be JSON but is not is shown as text', () => {
    const { content, files } = render(
      completeAnswer(withSchemaCheck(addRound(askTask, response('It is blue.'), []), undefined), undefined, 1),
    );
    expect(content).toContain('It is blue.');
    expect(content).toContain('did not return valid JSON');
    expect(files).toEqual([]);
  });
});
