import { cancelId, editId, retryId } from '../../buttons/again.ts';
import { showAskId, showId, showMeId } from '../../buttons/show.ts';
import { dismissId, tryAgainId } from '../../buttons/unconfirmed.ts';
import type { Ask } from '../../discord/handlers.ts';
import { messageLink } from '../../discord/message-link.ts';
import { typedIn } from '../../services/tasks/follow-ups.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import type { ButtonPlan, MessagePlan } from '../../views/plan.ts';
import { taskPage } from '../../views/tasks/page.ts';
import type { Services } from '../services.ts';
import { isShowable, seenTask } from './audience.ts';

/** The page of one task. */
export async function taskAnswer(id: string, backId: string, ask: Ask<Services>): Promise<MessagePlan> {
  const task = await seenTask(id, ask);
  const parent = task.parentId === undefined ? undefined : await ask.services.tasks.get(task.parentId);
  const links = { message: messageLink(task), parent: parent && messageLink(parent) };
  return taskPage({ task, links, buttons: buttonsOf(task, backId, ask) }, ask.say);
}

function buttonsOf(task: Task, backId: string, { place, say }: Ask<Services>): ButtonPlan[] {
  const button = (name: Name, id: string): ButtonPlan[] => [
    { type: 'button', id, label: say(`tasks.buttons.${name}`) },
  ];
  const isOwn = task.requesterId === place.userId;
  return [
    ...button('back', backId),
    ...(isShowable(task) ? [...button('showMe', showMeId(task.id)), ...button('show', shownBy(task))] : []),
    ...(isOwn ? decisions(task, button) : []),
  ];
}

type Name = 'back' | 'show' | 'showMe' | 'retry' | 'edit' | 'cancel' | 'tryAgain' | 'dismiss';

/** Others would see what was meant for one: that is asked first. */
const shownBy = ({ id, route }: Task): string => (route.isPrivate ? showAskId(id) : showId(id));

function decisions(task: Task, button: (name: Name, id: string) => ButtonPlan[]): ButtonPlan[] {
  const { id, state } = task;
  if (state === 'unconfirmed') return [...button('tryAgain', tryAgainId(id)), ...button('dismiss', dismissId(id))];
  if (!hasEnded(task)) return button('cancel', cancelId(id));
  if (state !== 'failed' && state !== 'expired' && state !== 'cancelled') return [];
  return [...button('retry', retryId(id)), ...(typedIn(task) === '' ? [] : button('edit', editId(id)))];
}
