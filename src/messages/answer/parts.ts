import { wordsOf } from '../../services/asks/transitions.ts';
import type { Task } from '../../services/tasks/task.ts';
import { type AnswerPart, answerParts } from './split.ts';

/** Of the 2,000 letters of a message the first needs some for the question and for how it stands, the others for a note. */
const ROOM = { first: 1_100, other: 1_850 };
/** A longer answer is a document, and read as one. */
const MOST_MESSAGES = 10;
/** Where only a person has installed the application Discord allows five further messages, and questions need some of them. */
const MOST_FOR_USER_INSTALL = 3;

/** The messages of an answer. */
export function partsOf(task: Task): AnswerPart[] {
  const most = task.route.install === 'user' ? MOST_FOR_USER_INSTALL : MOST_MESSAGES;
  return answerParts(shownText(task), { ...ROOM, most });
}

/** JSON is shown as what it is. */
function shownText(task: Task): string {
  const words = wordsOf(task);
  if (task.request.format !== 'json' || words === '' || words.includes('```')) return words;
  return `\`\`\`json\n${words}\n\`\`\``;
}
