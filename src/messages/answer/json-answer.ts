import { inlineCode } from '../../discord/markdown.ts';
import { terminalSafe } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { answerOf, answerText } from '../../services/conversations/ask-transitions.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { titleOf } from '../../services/tasks/task-facts.ts';
import { fileNamePrefix } from '../file-names.ts';
import type { AnswerPart } from './split.ts';

/** How many characters of an answer are shown. If the answer does not match its schema, the message also has to list the mismatches. */
const MAX_SHOWN_LENGTH = { matching: 1_000, mismatching: 450 };

/** An answer with a schema is one message and a file, unless the finished answer is not JSON. */
export const isStructured = (task: Task): boolean =>
  task.request.schema !== undefined &&
  answerText(task) !== '' &&
  (!hasEnded(task) || answerOf(task).schemaCheck?.isUnfinished === false);

export function structuredPart(task: Task): AnswerPart {
  // While it streams, the answer may be wrapped in a code block of its own.
  const text = answerText(task).replace(/^```\w{0,20}\n/, '');
  const { count = 0 } = answerOf(task).schemaCheck ?? {};
  const excerpt = excerptOf(text, count === 0 ? MAX_SHOWN_LENGTH.matching : MAX_SHOWN_LENGTH.mismatching);
  const file = { name: `${fileNamePrefix(task, titleOf(task))}answer.json`, text };
  return { source: text, text: `\`\`\`json\n${excerpt}\n\`\`\``, files: [file] };
}

const TRUNCATION_MARK = '\n…';

export const isExcerpt = (part: AnswerPart | undefined): part is AnswerPart =>
  part?.text.endsWith(`${TRUNCATION_MARK}\n\`\`\``) === true;

/** Returns whole lines if possible. In JSON a backtick is always part of a string, so it can be escaped. */
function excerptOf(text: string, max: number): string {
  const escaped = text.slice(0, max).replaceAll('``', '\\u0060\\u0060');
  if (text.length <= max && escaped.length <= max) return escaped;
  const excerpt = escaped.slice(0, max);
  const end = excerpt.lastIndexOf('\n');
  return `${excerpt.slice(0, end > max / 2 ? end : max).toWellFormed()}${TRUNCATION_MARK}`;
}

export function mismatchLines(task: Task, say: Say): string[] {
  const { misfits: mismatches = [], count = 0, isUnfinished } = answerOf(task).schemaCheck ?? {};
  if (isUnfinished) return [say('ask.schema.unfinished')];
  if (mismatches.length === 0) return [];
  const lines = mismatches.map(({ at, rule, expected }) =>
    say(`ask.schema.${rule}`, {
      at: at === '' ? say('ask.schema.answer') : shortCode(at),
      expected: shortCode(expected),
    }),
  );
  const more = count - mismatches.length;
  return [say('ask.schema.mismatches'), ...lines, ...(more > 0 ? [say('ask.schema.more', { count: more })] : [])];
}

const MAX_CODE_LENGTH = 60;

function shortCode(text: string): string {
  const printable = terminalSafe(text);
  return inlineCode(
    printable.length <= MAX_CODE_LENGTH ? printable : `${printable.slice(0, MAX_CODE_LENGTH - 1).toWellFormed()}…`,
  );
}
