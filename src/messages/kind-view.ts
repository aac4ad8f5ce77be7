import type { ButtonPlan, FilePlan, MessagePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import type { ModelSize } from '../services/gateway/model-ids.ts';
import type { Outlook } from '../services/orders/outlook.ts';
import type { TaskKind } from '../services/tasks/kind-spec.ts';
import type { MemberFile } from '../services/tasks/materials.ts';
import type { StoredMedium, TaskOf } from '../services/tasks/task.ts';

/** How the messages of one kind of task differ from the default. */
export interface KindView<K extends TaskKind = TaskKind> {
  /** Whether the buttons depend on the list of models. */
  readonly needsModelList?: boolean;
  /** Source images that are shown with the message, because the result says little without them. */
  sourceImages?(task: TaskOf<K>): readonly MemberFile[];
  message?(task: TaskOf<K>, context: MessageContext, say: Say): MessagePlan;
  /** Replaces the prompt, for a kind that has none. */
  title?(task: TaskOf<K>, say: Say): string;
  /** Small lines under the headline, such as the model and the size. */
  facts?(task: TaskOf<K>, say: Say): string[];
  result?(task: TaskOf<K>, say: Say): string[];
  /** How the results differ from the request, as far as this can be seen from the files. */
  notes?(task: TaskOf<K>, media: readonly MediumFacts[], say: Say): string[];
  /** A file with the complete result, if it is too long for a message. */
  files?(task: TaskOf<K>): FilePlan[];
  /** Buttons that replace those of the gateway. */
  buttons?(task: TaskOf<K>, context: MessageContext, say: Say): ButtonPlan[];
  moreButtons?(task: TaskOf<K>, context: MessageContext, say: Say): ButtonPlan[];
}

/** Facts from the file itself, else those from the gateway. */
export type MediumFacts = Partial<StoredMedium>;

export interface MessageSettings {
  views: Readonly<Partial<Record<TaskKind, KindView>>>;
  /** Whether members can speak in a talk by writing in its thread. */
  readsMessages: boolean;
  /** Whether the gateway's account is in remix mode, where variations ask for a prompt. */
  isRemix: boolean;
}

/** What task messages depend on in addition to their task: the views of the kinds, and what the gateway is known to support. */
export interface MessageContext extends MessageSettings {
  /** Whether the gateway accepts this button. */
  isOffered(customId: string): boolean;
  largerVariants(model: string): readonly ModelSize[];
  outlook: Pick<Outlook, 'typicalMs' | 'turnAt'>;
}
