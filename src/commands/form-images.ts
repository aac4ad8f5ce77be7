import type { FormOrigin } from '../discord/custom-ids.ts';
import type { HandlerContext } from '../discord/handlers.ts';
import { escapeText } from '../discord/markdown.ts';
import type { FieldPlan } from '../discord/plan.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import { loadForForm, pressedTask } from '../messages/pressed-task.ts';
import type { MemberFile } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import { titleOf } from '../services/tasks/task-facts.ts';
import type { Services } from './services.ts';

type Context = HandlerContext<Services>;

/** Keeps the images that a form is opened from, because their URLs neither fit into its custom id nor tell a member anything. */
export async function keepImages(images: readonly MemberFile[], context: Context): Promise<string> {
  if (images.length === 0) throw new Refusal('refusals.noImageInMessage');
  const kept = images.map(({ address, name }) => ({ address, name }));
  return loadForForm(context.services.drafts.keep(context.place.userId, { images: kept }), context);
}

/** The images that a form was opened from, and the task whose result they are. */
export interface FormSource {
  images: readonly MemberFile[];
  task: Task | undefined;
}

export async function sourceOfForm(origin: FormOrigin, context: Context): Promise<FormSource> {
  const task = origin.from === 'task' ? await loadForForm(pressedTask(origin.taskId, context), context) : undefined;
  return { task, images: await loadForForm(imagesOfForm(origin, context), context) };
}

/** The images that a form was opened from. */
export async function imagesOfForm({ draftId }: FormOrigin, { services, place }: Context) {
  if (draftId === undefined) throw new Refusal('refusals.formGone');
  return services.drafts.images(draftId, place.userId);
}

/** Of several images, the ones that the member has chosen; all if none was. */
export function chosenImages(images: readonly MemberFile[], chosen: readonly string[]): readonly MemberFile[] {
  return chosen.length === 0 ? images : images.filter((_, index) => chosen.includes(String(index + 1)));
}

/** As the option `links` of a command. */
export const linksTo = (images: readonly MemberFile[]): string => images.map(({ address }) => address).join('\n');

/** The longest name that fits into a choice next to its number. */
const MAX_NAME_LENGTH = 80;

export const resultNote = (task: Task, say: Say): FieldPlan => ({
  type: 'note',
  name: 'image',
  label: say('formImages.result', { prompt: escapeText(titleOf(task), MAX_NAME_LENGTH) }),
});

/** Says which image a form is about, or lets the member choose from several. */
export function imagesField({ images, task }: FormSource, say: Say): FieldPlan {
  const [first] = images;
  if (images.length === 1 && task) return resultNote(task, say);
  if (images.length === 1 && first)
    return {
      type: 'note',
      name: 'image',
      label: say('formImages.file', { name: escapeText(first.name, MAX_NAME_LENGTH) }),
    };
  return {
    type: 'choice',
    name: 'which',
    label: say('formImages.which'),
    hint: say('formImages.whichHint'),
    max: images.length,
    options: images.map(({ name }, index) => {
      const number = String(index + 1);
      return { value: number, label: say('formImages.numbered', { number, name: name.slice(0, MAX_NAME_LENGTH) }) };
    }),
  };
}
