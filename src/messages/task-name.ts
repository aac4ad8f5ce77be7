import { escapeText } from '../discord/markdown.ts';
import { hasVisibleText } from '../lib/text.ts';
import type { Say } from '../locales/index.ts';
import type { ActionMeaning } from '../services/tasks/actions.ts';
import type { TaskKind } from '../services/tasks/kind-spec.ts';
import type { TaskState } from '../services/tasks/task.ts';
import type { TaskSummary } from '../services/tasks/task-summary.ts';
import { actionOf, type TaskType, typeOf, typeOfAction } from '../services/tasks/task-type.ts';
import type { OrderedRequest } from '../services/tasks/transitions.ts';

const MAX_LABEL_LENGTH = 80;

/** What a task is called everywhere. An action that only the gateway knows has the label of its button. */
export function taskName(task: OrderedRequest<TaskKind>, say: Say): string {
  const action = actionOf(task);
  if (!action) return say(`tasks.kinds.${typeOf(task)}`);
  const label = 'label' in task.request ? task.request.label : '';
  return action.family === 'other' && hasVisibleText(label)
    ? escapeText(label, MAX_LABEL_LENGTH)
    : actionName(action, say);
}

const TYPES_OF_ONE_IMAGE: ReadonlySet<TaskType> = new Set(['upscale', 'variation']);

export function actionName(action: ActionMeaning, say: Say): string {
  return typeName({ type: typeOfAction(action), index: action.index }, say);
}

/** The name of a type of task, with the image of the grid that it is about. */
export function typeName({ type, index }: Pick<TaskSummary, 'type' | 'index'>, say: Say): string {
  const what = say(`tasks.kinds.${type}`);
  return index !== undefined && TYPES_OF_ONE_IMAGE.has(type) ? say('task.ofImage', { what, index }) : what;
}

/** The name of an action on a result; undefined for all other tasks. */
export const actionNameOf = (task: OrderedRequest<TaskKind>, say: Say): string | undefined =>
  actionOf(task) && taskName(task, say);

export const stateEmoji: Readonly<Record<TaskState, string>> = {
  waiting: '🕓',
  submitting: '🟡',
  accepted: '🟡',
  queued: '🟡',
  running: '🟡',
  'needs-input': '✏️',
  ready: '📬',
  delivered: '🟢',
  failed: '🔴',
  expired: '🔴',
  cancelled: '⚪',
  unconfirmed: '❓',
};
