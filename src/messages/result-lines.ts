import { customIds } from '../discord/custom-ids.ts';
import { escapeText } from '../discord/markdown.ts';
import { buttonPlan, type FilePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import { readResultText } from '../services/tasks/result-text.ts';
import type { Task } from '../services/tasks/task.ts';
import { titleOf } from '../services/tasks/task-facts.ts';
import { fileNamePrefix } from './file-names.ts';

/** The space for the lines: 2,000 characters minus the headline, the time and the notes. */
const MAX_TEXT_LENGTH = 1_500;
/** Enough for two rows of buttons; there are ten keycap emoji. */
const MAX_LINES = 10;

/** The lines of a result, each with the number of its button. Long lines are shortened so that all of them fit. */
export function numberedLines({ text = '' }: Task, say: Say, maxLength = MAX_TEXT_LENGTH): string[] {
  const { max, lines, isComplete } = fitLines(text, maxLength);
  const shownLines = lines.map((line, index) => {
    return say('task.lines.line', { number: keycap(index + 1), text: escapeText(line.slice(0, 2 * max), max) });
  });
  return isComplete ? shownLines : [...shownLines, `-# ${say('task.lines.rest')}`];
}

/** The original text, if the message shows only a part. */
export function fullTextFile(task: Task, maxLength = MAX_TEXT_LENGTH): FilePlan[] {
  const { kind, text = '' } = task;
  const name = `${fileNamePrefix(task, titleOf(task))}${kind}.txt`;
  return fitLines(text, maxLength).isComplete ? [] : [{ name, bytes: Buffer.from(text) }];
}

export function lineButtons({ id, text = '' }: Task, say: Say) {
  const each = linesWithButtons(text).map((_, index) =>
    buttonPlan('', customIds.line.id({ taskId: id, index: index + 1 }), { emoji: keycap(index + 1) }),
  );
  const all = buttonPlan(say('task.buttons.allLines'), customIds.allLines.id(id), { emoji: '🎉' });
  return { each, all: each.length < 2 ? [] : [all] };
}

export const linesWithButtons = (text: string): string[] => readResultText(text).lines.slice(0, MAX_LINES);

/** Long lines share the space that short ones leave over. */
function fitLines(text: string, maxLength: number): { max: number; lines: string[]; isComplete: boolean } {
  const all = readResultText(text).lines;
  const lines = all.slice(0, MAX_LINES);
  // Lengths with escaped Markdown. A line that is too long in any case does not need to be escaped.
  const lengths = lines.map((line) =>
    line.length < maxLength ? escapeText(line, Number.POSITIVE_INFINITY).length + 1 : maxLength + 1,
  );
  let remaining = maxLength;
  let max = maxLength;
  for (const [index, length] of lengths.toSorted((one, other) => one - other).entries()) {
    max = Math.floor(remaining / (lines.length - index));
    remaining -= Math.min(length, max);
  }
  return { max, lines, isComplete: all.length === lines.length && lengths.every((length) => length <= max) };
}

const keycap = (number: number): string => (number === 10 ? '🔟' : `${number}\ufe0f\u20e3`);
