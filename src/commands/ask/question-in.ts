import type { Origin } from '../../discord/interaction-facts.ts';
import type { MemberMessage, RepliedMessage } from '../../discord/member-message.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';
import { hasEnded, isOfKind, type Task, type TaskOf } from '../../services/tasks/task.ts';
import { mayContinue } from '../../services/tasks/task-facts.ts';
import type { Services } from '../feature.ts';
import { filesIn, nextQuestion, type Question } from './questions.ts';

/** What a member reads if their message cannot be a question: a key in `ask.mention`. */
export type MessageHint = 'empty' | 'response' | 'unreadable';

/** Why a message to the bot is not a question; undefined if it is one. */
export function hintFor({ content, files, repliedTo }: MemberMessage): MessageHint | undefined {
  const isEmpty = !hasVisibleText(content) && files.length === 0;
  if (!repliedTo || repliedTo.isFromBot) {
    if (!isEmpty) return undefined;
    return repliedTo?.isResponse ? 'response' : 'empty';
  }
  return hasVisibleText(repliedTo.content) || repliedTo.files.length > 0 ? undefined : 'unreadable';
}

/** Reads a message to the bot as a question, and finds the answer that it continues: the one it replies to, or else, like `/ask`, the newest one here. */
export async function questionIn(
  message: MemberMessage,
  { isModerator, origin, services }: { isModerator: boolean; origin: Origin; services: Services },
): Promise<{ question: Question; previous: Task | undefined }> {
  const { content, files, repliedTo, memberId, channelId } = message;
  const continued = repliedTo && (await answerRepliedTo(repliedTo, message, isModerator, services));
  if (continued) return nextQuestion({ prompt: content, ...filesIn(files) }, continued, origin);
  const previous = await services.conversations.asks.newestAnswer({ memberId, channelId, isPrivate: false });
  const quote = repliedTo && quoteOf(repliedTo);
  const question = { prompt: content, quote, ...filesIn([...files, ...(repliedTo?.files ?? [])]) };
  return { question, previous };
}

/** Throws a refusal if the member may not continue the answer. */
async function answerRepliedTo(
  { taskIds }: RepliedMessage,
  { memberId: userId, guildId, channelId, roleIds }: MemberMessage,
  isModerator: boolean,
  { tasks, safety }: Services,
): Promise<TaskOf<'ask'> | undefined> {
  for (const id of taskIds) {
    const task = await tasks.book.get(id);
    if (!task || !isOfKind('ask', task)) continue;
    if (!mayContinue(task, { userId, channelId })) throw new Refusal('refusals.notYours');
    if (!isModerator) safety.rules.assertMayPress({ requesterId: task.requesterId, guildId }, { userId, roleIds });
    if (!hasEnded(task)) throw new Refusal('refusals.answerInProgress');
    return task;
  }
  return undefined;
}

/** The text of a message that a question is about, and the names of its files, which are sent with the question. */
export function quoteOf({ content, files }: Pick<RepliedMessage, 'content' | 'files'>): string {
  const names = files.map(({ name }) => name).join(', ');
  return [content, ...(names === '' ? [] : [`[Files of this message: ${names}]`])].join('\n').trim();
}
