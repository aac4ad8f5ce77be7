import type { Say } from '../../locales/index.ts';
import { waitingCalls, wordsOf } from '../../services/asks/transitions.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import type { ButtonPlan } from '../plan.ts';
import type { TaskControls } from '../task-buttons.ts';
import { numberOf } from './calls.ts';

/** Custom ids are made by those who understand them. */
export interface AskControls extends Pick<TaskControls, 'retryId' | 'deleteId' | 'tryAgainId' | 'dismissId'> {
  stopId(taskId: string): string;
  goOnId(taskId: string): string;
  forgetId(taskId: string): string;
  detailsId(taskId: string): string;
  /** Of a call by its number among those of the last response. */
  allowId(taskId: string, number: number): string;
  declineId(taskId: string, number: number): string;
}

export const button = (label: string, id: string, more: Partial<ButtonPlan> = {}): ButtonPlan => {
  return { type: 'button', id, label, ...more };
};

/** Nobody knows whether the gateway took it: its member decides. */
export const undecidedButtons = (
  { id }: Task,
  controls: Pick<AskControls, 'tryAgainId' | 'dismissId'>,
  say: Say,
): ButtonPlan[] => [
  button(say('task.buttons.tryAgain'), controls.tryAgainId(id), { look: 'danger' }),
  button(say('task.buttons.dismiss'), controls.dismissId(id)),
];

export function answerButtons(task: Task, controls: AskControls, say: Say): ButtonPlan[] {
  const { id, state } = task;
  if (state === 'unconfirmed') return undecidedButtons(task, controls, say);
  if (state === 'submitting') return [];
  const stop = button(say('ask.buttons.stop'), controls.stopId(id), { emoji: '⏹️' });
  if (!hasEnded(task)) return [...decisions(task, controls, say), stop];
  const remove = button(say('task.buttons.delete'), controls.deleteId(id), { emoji: '🗑️' });
  if (task.failure?.cause === 'dismissed') return [remove];
  const retry = task.failure ? [button(say('task.buttons.retry'), controls.retryId(id), { emoji: '🔁' })] : [];
  if (wordsOf(task) === '') return [...retry, button(say('ask.buttons.details'), controls.detailsId(id)), remove];
  return [
    button(say('ask.buttons.continue'), controls.goOnId(id), { look: 'primary' }),
    ...retry,
    button(say('ask.buttons.forget'), controls.forgetId(id)),
    button(say('ask.buttons.details'), controls.detailsId(id)),
    remove,
  ];
}

/** Nothing that costs is done before its member has said yes to it. */
function decisions(task: Task, controls: AskControls, say: Say): ButtonPlan[] {
  return waitingCalls(task).flatMap((call): ButtonPlan[] => {
    const number = numberOf(task, call);
    const which = { number: String(number) };
    return [
      { type: 'button', id: controls.allowId(task.id, number), label: say('ask.buttons.yes', which), look: 'good' },
      { type: 'button', id: controls.declineId(task.id, number), label: say('ask.buttons.no', which) },
    ];
  });
}
