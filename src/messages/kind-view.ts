import type { ButtonPlan, FilePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import type { ModelSize } from '../services/models/ids.ts';
import type { Task, TaskKind } from '../services/tasks/task.ts';

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
  buttons?(task: Task, context: MessageContext, say: Say): ButtonPlan[];
  /** What can be done with the result besides. */
  more?(task: Task, context: MessageContext, say: Say): ButtonPlan[];
}

/** What the messages of tasks depend on besides their tasks: the views of the kinds, and what the gateway is known to offer. */
export interface MessageContext {
  views: Readonly<Partial<Record<TaskKind, KindView>>>;
  /** Whether it takes this button. */
  isOffered(customId: string): boolean;
  /** Which larger variants there are of a model. */
  largerThan(model: string): readonly ModelSize[];
  /** Its account works in remix mode: variations ask for words. */
  isRemix: boolean;
}
