import { customIds } from '../../discord/custom-ids.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { waitingCalls, wordsOf } from '../../services/asks/transitions.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { numberOf } from './calls.ts';

export const button = (label: string, id: string, more: Partial<ButtonPlan> = {}): ButtonPlan => {
  return { type: 'button', id, label, ...more };
};

/** Nobody knows whether the gateway took it: its member decides. */
export const undecidedButtons = ({ id }: Task, say: Say): ButtonPlan[] => [
  button(say('task.buttons.tryAgain'), customIds.tryAgain.id(id), { look: 'danger' }),
  button(say('task.buttons.dismiss'), customIds.dismiss.id(id)),
];

export function answerButtons(task: Task, say: Say): ButtonPlan[] {
  const { id, state } = task;
  if (state === 'unconfirmed') return undecidedButtons(task, say);
  if (state === 'submitting') return [];
  const stop = button(say('ask.buttons.stop'), customIds.stop.id(id), { emoji: '⏹️' });
  if (!hasEnded(task)) return [...decisions(task, say), stop];
  const remove = button(say('task.buttons.delete'), customIds.delete.id(id), { emoji: '🗑️' });
  if (task.failure?.cause === 'dismissed') return [remove];
  const retry = task.failure ? [button(say('task.buttons.retry'), customIds.retry.id(id), { emoji: '🔁' })] : [];
  if (wordsOf(task) === '') return [...retry, button(say('ask.buttons.details'), customIds.details.id(id)), remove];
  return [
    button(say('ask.buttons.continue'), customIds.goOn.id(id), { look: 'primary' }),
    ...retry,
    button(say('ask.buttons.forget'), customIds.forgetConversation.id(id)),
    button(say('ask.buttons.details'), customIds.details.id(id)),
    remove,
  ];
}

/** Nothing that costs is done before its member has said yes to it. */
function decisions(task: Task, say: Say): ButtonPlan[] {
  return waitingCalls(task).flatMap((call): ButtonPlan[] => {
    const number = numberOf(task, call);
    const which = { number: String(number) };
    const pointer = { taskId: task.id, place: number };
    return [
      { type: 'button', id: customIds.allow.id(pointer), label: say('ask.buttons.yes', which), look: 'good' },
      { type: 'button', id: customIds.decline.id(pointer), label: say('ask.buttons.no', which) },
    ];
  });
}
