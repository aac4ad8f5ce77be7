import type { customIds, FormOrigin } from '../discord/custom-ids.ts';
import { requirePostPermissions } from '../discord/guards.ts';
import type { HandlerResult, Menu } from '../discord/handlers.ts';
import { escapeText } from '../discord/markdown.ts';
import type { FieldPlan, FormPlan, FormValues } from '../discord/plan.ts';
import { publicId } from '../discord/target-message.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import type { MenuName, Say } from '../locales/index.ts';
import { loadForForm, pressedTask } from '../messages/pressed-task.ts';
import type { MemberFile } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import { assertHasResult, isGrid, titleOf } from '../services/tasks/task-facts.ts';
import { isPrivateByDefault, readChoices } from './choices.ts';
import { type Context, on, type Services } from './feature.ts';
import { chooseModel, imagesOfResult, imagesOnMessage, modelField, modelsForForm, usualModel } from './options.ts';

/** Keeps the images that a form is opened from, because their URLs neither fit into its custom id nor tell a member anything. */
export async function keepImages(images: readonly MemberFile[], context: Context, about?: string): Promise<string> {
  if (images.length === 0) throw new Refusal('refusals.noImageInMessage');
  const kept = images.map(({ address, name }) => ({ address, name }));
  return loadForForm(context.services.tasks.drafts.keep(context.facts.userId, { images: kept, about }), context);
}

/** The images that a form was opened from, and the task whose result they are. */
interface FormSource {
  images: readonly MemberFile[];
  task: Task | undefined;
}

/** The images that a form was opened from, and the message that has them if it is not the result of a task. */
export async function imagesOfForm({ draftId }: FormOrigin, { services, facts }: Context) {
  if (draftId === undefined) throw new Refusal('refusals.formGone');
  return services.tasks.drafts.images(draftId, facts.userId);
}

/** The longest name that fits into a choice next to its number. */
const MAX_NAME_LENGTH = 80;

export const resultNote = (task: Task, say: Say): FieldPlan => ({
  type: 'note',
  name: 'image',
  label: say(isGrid(task) ? 'formImages.grid' : 'formImages.result', {
    prompt: escapeText(titleOf(task), MAX_NAME_LENGTH),
  }),
});

/** Says which image a form is about, or lets the member choose from several. */
function imagesField({ images, task }: FormSource, say: Say): FieldPlan {
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

/** A field of `moreFields`, for images of the member's own. */
export const addedImagesField = (max: number, say: Say): FieldPlan => ({
  type: 'file',
  name: 'added',
  accept: ['image'],
  max,
  label: say('formImages.added'),
});

type ImageFormFacts = { id: string; source: FormSource } & Awaited<ReturnType<typeof modelsForForm>>;

interface ImageForm<Parsed> {
  menu: MenuName;
  purpose: 'image' | 'video';
  opened: typeof customIds.reference;
  filled: typeof customIds.referenceFilled;
  maxImages: number;
  /** `count`: how many images the form was opened from. */
  labels(say: Say, count: number): Record<'title' | 'prompt' | 'model' | 'modelHint', string>;
  /** In addition to the images, the prompt and the model. */
  moreFields?(say: Say): FieldPlan[];
  parse(fields: FormValues['fields']): Parsed | Refusal;
  /** `links`: the chosen images, as the option `links` of a command. */
  run(
    parsed: Parsed,
    chosen: { parent: Task | undefined; links: string; model: string; about: string | undefined },
    context: Context,
  ): Promise<HandlerResult>;
}

/** The chosen images, all of them if none is chosen, and those that were added, as the option `links` of a command. */
function linksOf(images: readonly MemberFile[], chosen: readonly string[] = [], added: readonly MemberFile[] = []) {
  const used = images.filter((_, index) => chosen.length === 0 || chosen.includes(String(index + 1)));
  return [...used, ...added].map(({ address }) => address).join('\n');
}

/** The model of the result itself, the member's usual one, or the bot's. */
async function modelToOffer(purpose: 'image' | 'video', task: Task | undefined, context: Context) {
  if (task?.kind === purpose && task.model !== undefined) return task.model;
  const choices = await loadForForm(readChoices(context), context);
  return usualModel(purpose, {}, choices, context) ?? context.services.settings.models[purpose];
}

/** A form that orders something made from images: those of a result, or of any message whose menu was used. */
export function imageForm<Parsed>(definition: ImageForm<Parsed>) {
  const { menu, purpose, opened, filled, maxImages } = definition;
  function form({ id, source, model: value, models }: ImageFormFacts, say: Say): FormPlan {
    const { title, prompt, model, modelHint } = definition.labels(say, source.images.length);
    const fields: FieldPlan[] = [
      imagesField(source, say),
      { type: 'text', name: 'words', label: prompt, isLong: true, required: true },
      modelField(purpose, { value, label: model, hint: modelHint }, models),
      ...(definition.moreFields?.(say) ?? []),
    ];
    return { id, title, fields };
  }
  async function formOf(id: string, source: FormSource, context: Context): Promise<FormPlan> {
    const preferred = await modelToOffer(purpose, source.task, context);
    return form({ id, source, ...(await modelsForForm(purpose, preferred, context)) }, context.say);
  }
  const entry: Menu<Services> = {
    name: menu,
    async open(target, context) {
      const isPrivate = target.isPrivate || isPrivateByDefault(context.facts, purpose, context.services);
      throwIfRefusal(requirePostPermissions(context.facts, { private: isPrivate }));
      const images = imagesOnMessage(target).slice(0, maxImages);
      const draftId = await keepImages(images, context, publicId(target));
      const id = filled.id({ from: 'menu', isPrivate, draftId });
      return formOf(id, { images, task: undefined }, context);
    },
  };
  const opener = on(opened, {
    async open(taskId, context, message) {
      const task = await loadForForm(pressedTask(taskId, context), context);
      assertHasResult(task);
      // The message has the URLs of its files, which are valid for a day.
      const images = imagesOfResult(task, message).slice(0, maxImages);
      const draftId = await keepImages(images, context);
      return formOf(filled.id({ from: 'task', taskId, draftId }), { images, task }, context);
    },
  });
  const submit = on(filled, {
    reply: 'new-message',
    onlyOrders: true,
    isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
    async reopen(origin, context) {
      const task = origin.from === 'menu' ? undefined : await loadForForm(pressedTask(origin.taskId, context), context);
      const { images } = await loadForForm(imagesOfForm(origin, context), context);
      return formOf(filled.id(origin), { images, task }, context);
    },
    parse({ fields, lists, files }) {
      const parsed = definition.parse(fields);
      const typedModel = fields.model?.trim() || undefined;
      return parsed instanceof Refusal ? parsed : { parsed, typedModel, chosen: lists.which, added: files.added };
    },
    async run(origin, context, { parsed, typedModel, chosen, added }) {
      const parent = origin.from === 'menu' ? undefined : await pressedTask(origin.taskId, context);
      const { images, about } = await imagesOfForm(origin, context);
      const model = await chooseModel(purpose, typedModel, context.services);
      return definition.run(parsed, { parent, links: linksOf(images, chosen, added), model, about }, context);
    },
  });
  return { menu: entry, handlers: [opener, submit], form };
}
