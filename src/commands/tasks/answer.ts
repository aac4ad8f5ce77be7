import { againIds, cancelId } from '../../buttons/again.ts';
import { deletePostId } from '../../buttons/delete.ts';
import { showAskId, showId, showMeId } from '../../buttons/show.ts';
import { endId } from '../../buttons/talk/end.ts';
import { dismissId, tryAgainBesideId, tryAgainOpenlyId } from '../../buttons/unconfirmed.ts';
import type { Ask } from '../../discord/handlers.ts';
import { messageLink } from '../../discord/message-link.ts';
import { turnsOf } from '../../services/talks/turns.ts';
import { hasOwnWords } from '../../services/tasks/follow-ups.ts';
import { hasEnded, isClosed, isPart, type Task } from '../../services/tasks/task.ts';
import type { ButtonPlan, MessagePlan } from '../../views/plan.ts';
import { taskPage } from '../../views/tasks/page.ts';
import type { Services } from '../services.ts';
import { isShowable, mayDeleteMessage, maySeeCost, seenTask } from './audience.ts';

/** The page of one task. */
export async function taskAnswer(id: string, backId: string, ask: Ask<Services>): Promise<MessagePlan> {
  const task = await seenTask(id, ask);
  const parent = task.parentId === undefined ? undefined : await ask.services.tasks.get(task.parentId);
  const links = { message: messageLink(task), parent: parent && messageLink(parent) };
  const cost = (await maySeeCost(task, ask)) ? await ask.services.tasks.costOf(task) : undefined;
  const turns = await turnsOf(task, ask.services.tasks);
  return taskPage({ task, links, cost, buttons: buttonsOf(task, backId, ask), turns }, ask.say);
}

function buttonsOf(task: Task, backId: string, ask: Ask<Services>): ButtonPlan[] {
  const button = (name: Name, id: string): ButtonPlan[] => [
    { type: 'button', id, label: ask.say(`tasks.buttons.${name}`) },
  ];
  const isOwn = task.requesterId === ask.place.userId;
  return [
    ...button('back', backId),
    ...(isShowable(task) ? [...button('showMe', showMeId(task.id)), ...button('show', shownBy(task))] : []),
    ...(isOwn ? decisions(task, button) : []),
    ...(mayDeleteMessage(task, ask) ? button('delete', deletePostId(task.id)) : []),
  ];
}

type Name = 'back' | 'end' | 'show' | 'showMe' | 'retry' | 'edit' | 'cancel' | 'tryAgain' | 'dismiss' | 'delete';

/** Others would see what was meant for one: that is asked first. */
const shownBy = (task: Task): string => (isClosed(task) ? showAskId : showId)(task.id);

/** The page is its reader's alone, and yet what was public becomes public again. */
function decisions(task: Task, button: (name: Name, id: string) => ButtonPlan[]): ButtonPlan[] {
  const { id, state, route, failure, kind } = task;
  if (state === 'unconfirmed') {
    const tryAgainId = route.isPrivate ? tryAgainBesideId : tryAgainOpenlyId;
    return [...button('tryAgain', tryAgainId(id)), ...button('dismiss', dismissId(id))];
  }
  if (isPart(task) || kind === 'said') return [];
  if (kind === 'talk') return hasEnded(task) ? [] : button('end', endId(id));
  if (!hasEnded(task)) return button('cancel', cancelId(id));
  if (!['failed', 'expired', 'cancelled'].includes(state) || failure?.cause === 'dismissed') return [];
  const { retryId, editId } = againIds(task);
  const hasWords = hasOwnWords(task);
  return [...button('retry', retryId(id)), ...(hasWords ? button('edit', editId(id)) : [])];
}
