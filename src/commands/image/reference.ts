import { customIds, type FormOrigin } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { form, type HandlerContext, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm, pressedTask, submitOrder } from '../../messages/pressed-task.ts';
import type { ListedModel } from '../../services/models/catalogue.ts';
import { assertHasResult, isSpoiler } from '../../services/tasks/task-facts.ts';
import {
  chosenImages,
  type FormSource,
  imagesField,
  imagesOfForm,
  keepImages,
  linksTo,
  sourceOfForm,
} from '../form-images.ts';
import {
  chooseModel,
  emptyPromptRefusal,
  imagesOfResult,
  imagesOnMessage,
  modelField,
  modelsForForm,
} from '../options.ts';
import type { Services } from '../services.ts';
import { imageRequest } from './request.ts';

/** With more references, each of them has hardly any effect. */
const MAX_IMAGES = 10;

/** Opens the form for an image made from a result. The pressed message contains the URLs of its files, which are valid for a day. */
export const referenceOpener = opener(
  customIds.reference,
  async (taskId, context: HandlerContext<Services>, pressedMessage) => {
    const task = await loadForForm(pressedTask(taskId, context), context);
    assertHasResult(task);
    const images = imagesOfResult(task, pressedMessage).slice(0, MAX_IMAGES);
    return formFor({ from: 'task', taskId, draftId: await keepImages(images, context) }, { images, task }, context);
  },
);

/** Opens the form for the images of any message. */
export const referenceMenu: Menu<Services> = {
  name: 'reference',
  guards: [(place) => requirePostPermissions(place, {})],
  async open(target, context) {
    const images = imagesOnMessage(target).slice(0, MAX_IMAGES);
    const draftId = await keepImages(images, context);
    return formFor({ from: 'menu', isPrivate: target.isPrivate, draftId }, { images, task: undefined }, context);
  },
};

export const referenceSubmit = form(customIds.referenceFilled, {
  reply: 'new-message',
  onlyOrders: true,
  isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
  open: async (origin, context: HandlerContext<Services>) =>
    formFor(origin, await sourceOfForm(origin, context), context),
  parse({ fields, lists }) {
    const { words = '', model = '' } = fields;
    const prompt = words.trim();
    return emptyPromptRefusal({ prompt }) ?? { prompt, which: lists.which ?? [], typed: model.trim() || undefined };
  },
  async run(origin, { prompt, which, typed }, context: HandlerContext<Services>) {
    const parent = origin.from === 'menu' ? undefined : await pressedTask(origin.taskId, context);
    const model = await chooseModel('image', typed, context.services);
    const images = chosenImages(await imagesOfForm(origin, context), which);
    const request = throwIfRefusal(imageRequest({ prompt, links: linksTo(images) }));
    const spoilerField = parent && isSpoiler(parent) ? { spoiler: true } : {};
    return submitOrder({ kind: 'image', request: { ...request, model, ...spoilerField }, parent }, context);
  },
});

async function formFor(origin: FormOrigin, source: FormSource, { services, say }: HandlerContext<Services>) {
  const { task } = source;
  const model = (task?.kind === 'image' ? task.model : undefined) ?? services.defaultModels.image;
  const id = customIds.referenceFilled.id(origin);
  return referenceForm({ id, source, model, models: await modelsForForm(services) }, say);
}

interface ReferenceForm {
  id: string;
  source: FormSource;
  model: string | undefined;
  /** The known models; none if their list has not been read yet. */
  models: readonly ListedModel[];
}

export const referenceForm = ({ id, source, model, models }: ReferenceForm, say: Say): FormPlan => ({
  id,
  title: say('reference.title'),
  fields: [
    imagesField(source, say),
    { type: 'text', name: 'words', label: say('reference.prompt'), isLong: true, required: true },
    modelField('image', { value: model, label: say('reference.model'), hint: say('reference.modelHint') }, models),
  ],
});
