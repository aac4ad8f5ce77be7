import { asText } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { answerOf, wordsOf } from '../../services/asks/transitions.ts';
import { promptOf } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';

const LONGEST_LINE = 120;
/** As many as are read at a glance. */
const MOST_LINES = 5;
const LONGEST_TURN = 100_000;

/** What was said, in words: those that were written, and what the model understood of the sound. */
function saidIn(task: Task, say: Say): string {
  const words = [promptOf(task), answerOf(task).heard ?? ''].filter((text) => text.trim() !== '');
  return words.length === 0 ? say('talk.spoken') : words.join('\n');
}

/** The last turns of a conversation in a few lines. */
export function turnLines(turns: readonly Task[], say: Say): string[] {
  const shown = turns.slice(-MOST_LINES).flatMap((task) => {
    const answer = asText(wordsOf(task), LONGEST_LINE);
    return [
      say('talk.turn', { who: `<@${task.requesterId}>`, words: asText(saidIn(task, say), LONGEST_LINE) }),
      ...(answer === '' ? [] : [say('talk.answer', { words: answer })]),
    ];
  });
  const count = turns.length - MOST_LINES;
  return [...(count > 0 ? [`-# ${say('talk.earlier', { count })}`] : []), ...shown];
}

/** All of it; what is too long for a message is a file. */
export function transcript(turns: readonly Task[], say: Say): MessagePlan {
  const lines = turns.flatMap((task) => {
    const answer = asText(wordsOf(task), LONGEST_TURN);
    return [
      say('talk.turn', { who: `<@${task.requesterId}>`, words: asText(saidIn(task, say), LONGEST_TURN) }),
      ...(answer === '' ? [] : [say('talk.answer', { words: answer })]),
    ];
  });
  const body = lines.length === 0 ? [say('talk.nothingSaid')] : lines;
  return { content: [`**${say('talk.transcript')}**`, ...body].join('\n'), overflow: 'file' };
}
