import { truncate } from '../../discord/truncate.ts';
import { hasVisibleText, plainWords } from '../../lib/text.ts';
import { sayIn } from '../../locales/index.ts';
import { answerOf } from '../../services/conversations/ask-transitions.ts';
import { isClosed, isOfKind, type Task, type TaskOf } from '../../services/tasks/task.ts';
import type { Services } from '../feature.ts';

/** Discord's limit. */
const MAX_NAME_LENGTH = 100;

/** The name that an utterance gives to its thread; undefined if its words must not be a name. */
function nameFrom(task: TaskOf<'said'>, rules: Services['safety']['rules']): string | undefined {
  const words = task.request.prompt ?? answerOf(task).heard ?? '';
  const name = truncate(plainWords(words), MAX_NAME_LENGTH);
  const isUnfit = task.times.accepted === undefined || task.unwanted || task.holdFor || isClosed(task);
  if (isUnfit || !hasVisibleText(name)) return undefined;
  return rules.blocksText(task, words) || rules.blocksText(task, name) ? undefined : name;
}

/** Names the thread of a conversation for everyone by its first words, once, and takes the name back if they are deleted. */
export function nameThreads({ tasks: { book }, discord, safety, log }: Services): void {
  const { threads } = discord.outbox;
  const logFailure = (error: unknown) => log.info({ err: error }, 'A thread could not be named.');
  book.onChange((task) => {
    if (isOfKind('said', task)) void nameBy(task).catch(logFailure);
  });
  book.onMessageLoss((task) => {
    if (isOfKind('said', task)) void removeName(task).catch(logFailure);
  });
  book.onRemove((task) => void removeName(task).catch(logFailure));

  async function nameBy(task: TaskOf<'said'>): Promise<void> {
    const { id, request } = task;
    if (book.find(request.talk)?.talk?.namedBy !== '') return;
    const name = nameFrom(task, safety.rules);
    if (name === undefined) return;
    let threadId: string | undefined;
    await book.change(request.talk, (known) => {
      if (known.talk?.namedBy !== '') return known;
      threadId = known.channelId;
      return { ...known, talk: { ...known.talk, namedBy: id } };
    });
    if (threadId !== undefined) await threads.rename(threadId, name);
  }

  async function removeName(task: Task): Promise<void> {
    const talk = isOfKind('said', task) ? await book.get(task.request.talk) : task;
    const namedBy = talk?.talk?.namedBy;
    if (!talk?.channelId || !namedBy || (isOfKind('said', task) && namedBy !== task.id)) return;
    // An erasure reports the words, their message and the conversation, and Discord accepts only one more name.
    if (talk !== task && !(await wasNamed(talk.id))) return;
    await threads.rename(talk.channelId, sayIn(talk.language)('talk.threadName', { model: talk.model ?? '' }));
  }

  /** Whether the thread still had its name, which is not taken back again. */
  async function wasNamed(talkId: string): Promise<boolean> {
    let isNamed = false;
    await book.change(talkId, (known) => {
      if (!known.talk?.namedBy) return known;
      isNamed = true;
      return { ...known, talk: { ...known.talk, namedBy: undefined } };
    });
    return isNamed;
  }
}
