import type { ButtonPlan, FilePlan, MessagePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import type { ModelSize } from '../services/models/ids.ts';
import type { GivenPicture } from '../services/tasks/materials.ts';
import type { KeptMedium, TaskKind, TaskOf } from '../services/tasks/task.ts';

/** What differs in the message of one kind of task from that of the others. */
export interface KindView<K extends TaskKind = TaskKind> {
  /** Its buttons depend on which models there are. */
  readonly asksModels?: boolean;
  /** What a follow-up was made by. */
  lineage?(task: TaskOf<K>, say: Say): string;
  /** Pictures that were handed in and go along with the message: the result says little to those who do not see them. */
  given?(task: TaskOf<K>): readonly GivenPicture[];
  /** Its whole message, where that is made otherwise than those of others. */
  message?(task: TaskOf<K>, context: MessageContext, say: Say): MessagePlan;
  /** What stands where the prompt would, for a kind that has none. */
  title?(task: TaskOf<K>, say: Say): string;
  /** Small print under the headline: the model, the size. */
  facts?(task: TaskOf<K>, say: Say): string[];
  /** The result itself, where it is text. */
  result?(task: TaskOf<K>, say: Say): string[];
  /** What came out otherwise than it was wished for, as far as the results tell. */
  notes?(task: TaskOf<K>, seen: readonly Seen[], say: Say): string[];
  /** The whole of a result that is longer than a message holds. */
  files?(task: TaskOf<K>): FilePlan[];
  /** What can be done with the result, in place of what the gateway offers. */
  buttons?(task: TaskOf<K>, context: MessageContext, say: Say): ButtonPlan[];
  /** What can be done with the result besides. */
  more?(task: TaskOf<K>, context: MessageContext, say: Say): ButtonPlan[];
}

/** What a result says of itself, else what the gateway says of it. */
export type Seen = Partial<KeptMedium>;

/** What the messages of tasks depend on besides their tasks: the views of the kinds, and what the gateway is known to offer. */
export interface MessageContext {
  views: Readonly<Partial<Record<TaskKind, KindView>>>;
  /** Whether it takes this button. */
  isOffered(customId: string): boolean;
  /** Which larger variants there are of a model. */
  largerThan(model: string): readonly ModelSize[];
  /** Members may speak in live conversations by just writing. */
  hearsMessages: boolean;
  /** Its account works in remix mode: variations ask for words. */
  isRemix: boolean;
}
