import type { Say } from '../../locales/index.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { ButtonPlan, FilePlan } from '../plan.ts';
import type { Offering } from '../task-buttons.ts';

/** What differs in the message of one kind of task from that of the others. */
export interface KindView {
  /** What stands where the prompt would, for a kind that has none. */
  title?(task: Task, say: Say): string;
  /** Small print under the headline: the model, the size. */
  facts?(task: Task, say: Say): string[];
  /** The result itself, where it is text. */
  result?(task: Task, say: Say): string[];
  /** The whole of a result that is longer than a message holds. */
  files?(task: Task): FilePlan[];
  /** What can be done with the result, in place of what the gateway offers. */
  buttons?(task: Task, offering: Offering, say: Say): ButtonPlan[];
  /** What can be done with the result besides. */
  more?(task: Task, offering: Offering, say: Say): ButtonPlan[];
}
