import type { ButtonPlan, FilePlan, MessagePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import type { ModelSize } from '../services/models/ids.ts';
import type { MemberFile } from '../services/tasks/materials.ts';
import type { StoredMedium, Task, TaskKind, TaskOf } from '../services/tasks/task.ts';

/** What is special about the messages of one kind of task. */
export interface KindView<K extends TaskKind = TaskKind> {
  /** Its buttons depend on the list of models. */
  readonly needsModelList?: boolean;
  /** The action that made a follow-up. */
  lineage?(task: TaskOf<K>, say: Say): string;
  /** Source images that are shown with the message, because the result says little without them. */
  sourceImages?(task: TaskOf<K>): readonly MemberFile[];
  message?(task: TaskOf<K>, context: MessageContext, say: Say): MessagePlan;
  /** Replaces the prompt, for a kind that has none. */
  title?(task: TaskOf<K>, say: Say): string;
  /** Small print under the headline: the model, the size. */
  facts?(task: TaskOf<K>, say: Say): string[];
  result?(task: TaskOf<K>, say: Say): string[];
  /** How the results differ from the request, as far as the files show. */
  notes?(task: TaskOf<K>, seen: readonly MediumFacts[], say: Say): string[];
  /** The whole of a result that is too long for a message. */
  files?(task: TaskOf<K>): FilePlan[];
  /** Replace the buttons that the gateway offers for the result. */
  buttons?(task: TaskOf<K>, context: MessageContext, say: Say): ButtonPlan[];
  moreButtons?(task: TaskOf<K>, context: MessageContext, say: Say): ButtonPlan[];
}

/** What a file says about itself, else what the gateway says about it. */
export type MediumFacts = Partial<StoredMedium>;

/** What task messages depend on besides their task: the views of the kinds, and what the gateway is known to offer. */
export interface MessageContext {
  views: Readonly<Partial<Record<TaskKind, KindView>>>;
  /** Whether the gateway accepts this button. */
  isOffered(customId: string): boolean;
  /** The larger variants of a model. */
  largerVariants(model: string): readonly ModelSize[];
  /** How long tasks like this currently take; undefined if too little is known. */
  typicalMs(task: Task): number | undefined;
  /** Members can speak in talks by writing in the thread. */
  readsMessages: boolean;
  /** The gateway's account is in remix mode: variations ask for a prompt. */
  isRemix: boolean;
}
