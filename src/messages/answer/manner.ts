import { asText } from '../../discord/markdown.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { titleOf } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';
import { answerButtons } from './buttons.ts';

/** What differs between the answer to a question and what is said in a live conversation. */
export interface Manner {
  /** What it answers, in as many letters. */
  title(task: Task, most: number, say: Say): string;
  /** Small lines below that. */
  facts(task: Task, parentLink: string | undefined, say: Say): string[];
  /** Why it came to no end of its own. */
  failed(task: Task, say: Say): string;
  incomplete(reason: string, say: Say): string;
  buttons(task: Task, say: Say): ButtonPlan[];
}

const LONGEST_MODEL = 60;
const LONGEST_REASON = 160;

export const reasonOf = ({ failure }: Task): string => asText(failure?.reason ?? '', LONGEST_REASON);

export const askManner: Manner = {
  title: (task, most) => asText(titleOf(task), most),
  facts({ model = '', request }, link, say) {
    const effort = typeof request.effort === 'string' ? ` · ${say('ask.effort', { effort: request.effort })}` : '';
    return [
      say('ask.facts', { model: asText(model, LONGEST_MODEL) }) + effort,
      ...(link === undefined ? [] : [say('ask.title', { link })]),
    ];
  },
  failed(task, say) {
    const reason = reasonOf(task);
    switch (task.failure?.cause) {
      case 'stopped':
        return say('ask.stopped');
      case 'interrupted':
        return say('ask.interrupted');
      case 'cut':
        return say('ask.cut');
      case 'dismissed':
        return say('task.dismissed');
      default:
        return reason === '' ? say('ask.failedSilently') : say('ask.failed', { reason });
    }
  },
  incomplete: (reason, say) => (reason === '' ? say('ask.incomplete') : say('ask.incompleteBecause', { reason })),
  buttons: answerButtons,
};
