import { customIds, type FormOrigin } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { form, type HandlerContext, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm, pressedTask } from '../../messages/pressed-task.ts';
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
import { chooseModel, imagesOfResult, imagesOnMessage, modelField, modelsForForm } from '../options.ts';
import type { Services } from '../services.ts';
import { submitOrConfirm } from './limits.ts';
import { videoOrder, videoRequest } from './request.ts';

/** The highest number that any model is known to accept (specification, part 8). */
const MAX_IMAGES = 7;

/** Opens the form for a video made from a result. The pressed message has its files' URLs, valid for a day. */
export const videoOpener = opener(
  customIds.makeVideo,
  async (taskId, context: HandlerContext<Services>, pressedMessage) => {
    const task = await loadForForm(pressedTask(taskId, context), context);
    assertHasResult(task);
    const images = imagesOfResult(task, pressedMessage).slice(0, MAX_IMAGES);
    return formFor({ from: 'task', taskId, draftId: await keepImages(images, context) }, { images, task }, context);
  },
);

/** Opens the form for the images of any message. */
export const videoMenu: Menu<Services> = {
  name: 'video',
  guards: [(place) => requirePostPermissions(place, {})],
  async open(target, context) {
    const images = imagesOnMessage(target).slice(0, MAX_IMAGES);
    const draftId = await keepImages(images, context);
    return formFor({ from: 'menu', isPrivate: target.isPrivate, draftId }, { images, task: undefined }, context);
  },
};

export const videoSubmit = form(customIds.makeVideoFilled, {
  reply: 'new-message',
  onlyOrders: true,
  isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
  open: async (origin, context: HandlerContext<Services>) =>
    formFor(origin, await sourceOfForm(origin, context), context),
  parse({ fields, lists }) {
    const { words: prompt = '', model = '', duration = '', size = '' } = fields;
    const values = { prompt, duration, size };
    const request = videoRequest(values);
    return request instanceof Refusal
      ? request
      : { values, which: lists.which ?? [], typed: model.trim() || undefined };
  },
  async run(origin, { values, which, typed }, context: HandlerContext<Services>) {
    const parent = origin.from === 'menu' ? undefined : await pressedTask(origin.taskId, context);
    const model = await chooseModel('video', typed, context.services);
    const images = chosenImages(await imagesOfForm(origin, context), which);
    const draft = throwIfRefusal(videoRequest({ ...values, links: linksTo(images) }));
    const spoiler = parent && isSpoiler(parent);
    const order = videoOrder(draft, { model, fields: context.services.videoFields, spoiler });
    return submitOrConfirm({ ...order, parent }, context);
  },
});

async function formFor(origin: FormOrigin, source: FormSource, { services, say }: HandlerContext<Services>) {
  const id = customIds.makeVideoFilled.id(origin);
  const models = await modelsForForm(services);
  return videoForm({ id, source, model: services.defaultModels.video, models }, say);
}

interface VideoForm {
  id: string;
  source: FormSource;
  model: string | undefined;
  /** The known models; none if their list has not been read yet. */
  models: readonly ListedModel[];
}

export const videoForm = ({ id, source, model, models }: VideoForm, say: Say): FormPlan => ({
  id,
  title: say('video.form.title'),
  fields: [
    imagesField(source, say),
    { type: 'text', name: 'words', label: say('video.form.prompt'), isLong: true, required: true },
    modelField('video', { value: model, label: say('video.form.model'), hint: say('video.form.modelHint') }, models),
    { type: 'text', name: 'duration', label: say('video.form.duration') },
    { type: 'text', name: 'size', label: say('video.form.size') },
  ],
});
