import type { Answers } from '../discord/answers/answers.ts';
import type { MessagePlan } from '../discord/plan.ts';
import type { Clock } from '../lib/clock.ts';
import type { Task } from '../services/tasks/task.ts';
import type { Tasks } from '../services/tasks/tasks.ts';

/** What the buttons that stand on many messages may use. */
export interface MessageServices {
  tasks: Tasks;
  /** The messages in which answers go on. */
  answers: Pick<Answers, 'takeAway'>;
  clock: Clock;
  /** What a task's message shows now, without its results. */
  messageOf(task: Task): MessagePlan;
}
