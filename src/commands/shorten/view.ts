import { asText } from '../../discord/markdown.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { lineButtons, shownLines, wholeText } from '../../messages/lines.ts';
import { directionsIn, readText } from '../../services/tasks/lines.ts';

/** The drafts count; the directions explain them. */
const ROOM_FOR_LINES = 1_200;
const ROOM_FOR_DIRECTIONS = 300;

/** Shorter words, each to go on from, and what the long ones were mainly about. */
export const shorten: KindView = {
  result(task, say) {
    const directions = directionsIn(readText(task.text ?? '')).join(', ');
    const words = asText(directions, ROOM_FOR_DIRECTIONS);
    return [
      ...shownLines(task, say, ROOM_FOR_LINES),
      ...(words === '' ? [] : [`-# ${say('task.lines.directions', { words })}`]),
    ];
  },
  files: (task) => wholeText(task, ROOM_FOR_LINES),
  buttons(task, _offering, say) {
    const { each, all } = lineButtons(task, say);
    return [...each, ...all.map((button) => ({ ...button, startsRow: true }))];
  },
};
