import { customIds } from '../discord/custom-ids.ts';
import { asText } from '../discord/markdown.ts';
import type { ButtonPlan, FilePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import { readText } from '../services/tasks/lines.ts';
import type { Task } from '../services/tasks/task.ts';

/** Of the 2,000 letters of a message, what is left beside the headline, the time and the notes. */
const ROOM = 1_500;
/** Two rows of buttons, and as many keycaps as there are. */
const MOST_LINES = 10;

/** The lines of a result, each with the number of its button. None takes so much room that another has none. */
export function shownLines({ text = '' }: Task, say: Say, room = ROOM): string[] {
  const { most, lines, isWhole } = portioned(text, room);
  const shown = lines.map((line, index) => {
    return say('task.lines.line', { number: keycap(index + 1), words: asText(line.slice(0, 2 * most), most) });
  });
  return isWhole ? shown : [...shown, `-# ${say('task.lines.rest')}`];
}

/** As the gateway gave it, where the message shows only a part. */
export function wholeText({ kind, id, text = '' }: Task, room = ROOM): FilePlan[] {
  return portioned(text, room).isWhole ? [] : [{ name: `${kind}-${id}.txt`, bytes: Buffer.from(text) }];
}

/** One for each line, to make pictures of it, and one for all where there are several. */
export function lineButtons({ id, text = '' }: Task, say: Say) {
  const each = offeredLines(text).map((_, index): ButtonPlan => {
    return {
      type: 'button',
      id: customIds.line.id({ taskId: id, place: index + 1 }),
      label: '',
      emoji: keycap(index + 1),
    };
  });
  const label = say('task.buttons.allLines');
  const all: ButtonPlan = { type: 'button', id: customIds.allLines.id(id), label, emoji: '🎉' };
  return { each, all: each.length < 2 ? [] : [all] };
}

/** The lines that a message shows and its buttons stand for. */
export const offeredLines = (text: string): string[] => readText(text).lines.slice(0, MOST_LINES);

/** What short lines leave of the room goes to the long ones. */
function portioned(text: string, room: number): { most: number; lines: string[]; isWhole: boolean } {
  const all = readText(text).lines;
  const lines = all.slice(0, MOST_LINES);
  // As they are sent, with every sign taken literally; of what is too long anyway nobody has to know by how much.
  const lengths = lines.map((line) =>
    line.length < room ? asText(line, Number.POSITIVE_INFINITY).length + 1 : room + 1,
  );
  let left = room;
  let most = room;
  for (const [index, length] of lengths.toSorted((one, other) => one - other).entries()) {
    most = Math.floor(left / (lines.length - index));
    left -= Math.min(length, most);
  }
  return { most, lines, isWhole: all.length === lines.length && lengths.every((length) => length <= most) };
}

const keycap = (number: number): string => (number === 10 ? '🔟' : `${number}\ufe0f\u20e3`);
