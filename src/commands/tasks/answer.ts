import { customIds } from '../../discord/custom-ids.ts';
import type { Ask } from '../../discord/handlers.ts';
import { messageLink } from '../../discord/message-link.ts';
import type { ButtonPlan, MessagePlan } from '../../discord/plan.ts';
import { turnsOf } from '../../services/talks/opening.ts';
import type { Filter } from '../../services/tasks/filter.ts';
import { hasOwnWords } from '../../services/tasks/follow-ups.ts';
import { hasEnded, isClosed, isPart, type Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';
import { isShowable, mayDeleteMessage, maySeeCost, seenTask } from './audience.ts';
import { taskPage } from './page-view.ts';

/** The page of one task. */
export async function taskAnswer(id: string, list: Filter, ask: Ask<Services>): Promise<MessagePlan> {
  const task = await seenTask(id, ask);
  const parent = task.parentId === undefined ? undefined : await ask.services.tasks.get(task.parentId);
  const links = { message: messageLink(task), parent: parent && messageLink(parent) };
  const cost = (await maySeeCost(task, ask)) ? await ask.services.tasks.costOf(task) : undefined;
  const turns = await turnsOf(task, ask.services.tasks);
  return taskPage({ task, links, cost, buttons: buttonsOf(task, list, ask), turns }, ask.say);
}

function buttonsOf(task: Task, list: Filter, ask: Ask<Services>): ButtonPlan[] {
  const button = (name: Name, id: string): ButtonPlan[] => [
    { type: 'button', id, label: ask.say(`tasks.buttons.${name}`) },
  ];
  const isOwn = task.requesterId === ask.place.userId;
  return [
    ...button('back', customIds.tasks.id(list)),
    ...(isShowable(task) ? [...button('showMe', customIds.showMe.id(task.id)), ...button('show', shownBy(task))] : []),
    ...(isOwn ? decisions(task, button) : []),
    ...(mayDeleteMessage(task, ask) ? button('delete', customIds.deletePost.id(task.id)) : []),
  ];
}

type Name = 'back' | 'end' | 'show' | 'showMe' | 'retry' | 'edit' | 'cancel' | 'tryAgain' | 'dismiss' | 'delete';

/** Others would see what was meant for one: that is asked first. */
const shownBy = (task: Task): string => (isClosed(task) ? customIds.showAsk : customIds.show).id(task.id);

/** The page is its reader's alone, and yet what was public becomes public again. */
function decisions(task: Task, button: (name: Name, id: string) => ButtonPlan[]): ButtonPlan[] {
  const { id, state, route, failure, kind } = task;
  if (state === 'unconfirmed') {
    const tryAgain = route.isPrivate ? customIds.tryAgainBeside : customIds.tryAgainOpenly;
    return [...button('tryAgain', tryAgain.id(id)), ...button('dismiss', customIds.dismiss.id(id))];
  }
  if (isPart(task) || kind === 'said') return [];
  if (kind === 'talk') return hasEnded(task) ? [] : button('end', customIds.endTalk.id(id));
  if (!hasEnded(task)) return button('cancel', customIds.cancel.id(id));
  if (!['failed', 'expired', 'cancelled'].includes(state) || failure?.cause === 'dismissed') return [];
  // What comes of it is as public as the task was.
  const retry = route.isPrivate ? customIds.retry : customIds.retryOpenly;
  const edit = route.isPrivate ? customIds.edit : customIds.editOpenly;
  return [...button('retry', retry.id(id)), ...(hasOwnWords(task) ? button('edit', edit.id(id)) : [])];
}
