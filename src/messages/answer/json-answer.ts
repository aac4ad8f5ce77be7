import { inCode } from '../../discord/markdown.ts';
import { terminalSafe } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { answerOf, answerText } from '../../services/asks/transitions.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import type { AnswerPart } from './split.ts';

/** The characters shown of an answer. If it does not match its schema, the message also has to list where. */
const MAX_SHOWN = { matching: 1_000, mismatching: 450 };

/** An answer with a schema is one message and a file, unless the finished answer is not JSON. */
export const isStructured = (task: Task): boolean =>
  task.request.schema !== undefined &&
  answerText(task) !== '' &&
  (!hasEnded(task) || answerOf(task).schemaCheck?.isUnfinished === false);

export function structuredPart(task: Task): AnswerPart {
  // While it streams, the answer may be wrapped in a code block of its own.
  const text = answerText(task).replace(/^```\w{0,20}\n/, '');
  const { count = 0 } = answerOf(task).schemaCheck ?? {};
  const shown = beginningOf(text, count === 0 ? MAX_SHOWN.matching : MAX_SHOWN.mismatching);
  return { source: text, shown: `\`\`\`json\n${shown}\n\`\`\``, files: [{ name: 'answer.json', text }] };
}

const TRUNCATED = '\n…';

export const isCut = (part: AnswerPart | undefined): boolean => part?.shown.endsWith(`${TRUNCATED}\n\`\`\``) === true;

/** Returns whole lines if possible. In JSON a backtick is always part of a string, so it can be escaped. */
function beginningOf(text: string, max: number): string {
  const room = text.slice(0, max).replaceAll('``', '\\u0060\\u0060');
  if (text.length <= max && room.length <= max) return room;
  const whole = room.slice(0, max);
  const end = whole.lastIndexOf('\n');
  return `${whole.slice(0, end > max / 2 ? end : max).toWellFormed()}${TRUNCATED}`;
}

export function mismatchLines(task: Task, say: Say): string[] {
  const { misfits: mismatches = [], count = 0, isUnfinished } = answerOf(task).schemaCheck ?? {};
  if (isUnfinished) return [say('ask.schema.unfinished')];
  if (mismatches.length === 0) return [];
  const lines = mismatches.map(({ at, rule, expected }) =>
    say(`ask.schema.${rule}`, { at: at === '' ? say('ask.schema.answer') : code(at), expected: code(expected) }),
  );
  const more = count - mismatches.length;
  return [say('ask.schema.mismatches'), ...lines, ...(more > 0 ? [say('ask.schema.more', { count: more })] : [])];
}

const MAX_CODE_LENGTH = 60;

function code(text: string): string {
  const safe = terminalSafe(text);
  return inCode(safe.length <= MAX_CODE_LENGTH ? safe : `${safe.slice(0, MAX_CODE_LENGTH - 1).toWellFormed()}…`);
}
