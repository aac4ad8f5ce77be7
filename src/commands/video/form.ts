import { customIds } from '../../discord/custom-ids.ts';
import type { FormValues } from '../../discord/form.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { form, type HandlerContext, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm, pressedTask } from '../../messages/pressed-task.ts';
import type { ListedModel } from '../../services/models/catalogue.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import { assertHasResult, isSpoiler } from '../../services/tasks/task-facts.ts';
import { chooseModel, fitIntoField, imagesOfResult, imagesOnMessage, modelField } from '../options.ts';
import type { Services } from '../services.ts';
import { submitOrConfirm } from './limits.ts';
import { videoOrder, videoRequest } from './request.ts';

/** Opens the form for a video made from a result. The pressed message has its files' URLs, valid for a day. */
export const videoOpener = opener(
  customIds.makeVideo,
  async (taskId, context: HandlerContext<Services>, pressedMessage) => {
    const task = await loadForForm(pressedTask(taskId, context), context);
    assertHasResult(task);
    return formFor(
      imagesOfResult(task, pressedMessage),
      customIds.makeVideoFilled.id({ from: 'task', taskId }),
      context,
    );
  },
);

/** Opens the form for the images of any message. */
export const videoMenu: Menu<Services> = {
  name: 'video',
  formerNames: ['Make a video of it'],
  guards: [(place) => requirePostPermissions(place, {})],
  async open(target, context) {
    return formFor(
      imagesOnMessage(target),
      customIds.makeVideoFilled.id({ from: 'menu', isPrivate: target.isPrivate }),
      context,
    );
  },
};

export const videoSubmit = form(customIds.makeVideoFilled, {
  reply: 'new-message',
  onlyOrders: true,
  isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
  parse({ fields }) {
    const { model: modelInput, values } = readForm(fields);
    const draft = videoRequest(values);
    return draft instanceof Refusal ? draft : { draft, typed: modelInput };
  },
  async run(formOrigin, { draft, typed: modelInput }, context: HandlerContext<Services>) {
    const parent = formOrigin.from === 'menu' ? undefined : await pressedTask(formOrigin.taskId, context);
    const model = await chooseModel('video', modelInput, context.services);
    const spoiler = parent && isSpoiler(parent);
    const order = videoOrder(draft, { model, fields: context.services.videoFields, spoiler });
    return submitOrConfirm({ ...order, parent }, context);
  },
});

function formFor(images: VideoForm['images'], id: string, { services, say }: HandlerContext<Services>): FormPlan {
  if (images.length === 0) throw new Refusal('refusals.noImageInMessage');
  return videoForm({ id, images, model: services.defaultModels.video, models: services.models.lastListed }, say);
}

interface VideoForm {
  id: string;
  /** The images that are known when the form opens; a member can change them. */
  images: readonly MemberFile[];
  model: string | undefined;
  /** The known models; none if their list has not been read yet. */
  models: readonly ListedModel[];
}

/** The highest number that any model is known to accept (specification, part 8). */
const MAX_IMAGES = 7;

/** The URLs are in a field, so nothing has to be stored until the form is submitted. */
export function videoForm({ id, images, model, models }: VideoForm, say: Say): FormPlan {
  const fittingImages = fitIntoField(images.slice(0, MAX_IMAGES));
  const urls = fittingImages.map(({ address }) => address);
  const names = fittingImages.map(({ name }) => name).join(', ');
  return {
    id,
    title: say('video.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('video.form.prompt'), isLong: true, required: true },
      {
        ...{
          type: 'text',
          name: 'pictures',
          label: say('video.form.images'),
          hint: say('video.form.imagesHint', { names }),
        },
        ...{ value: urls.join('\n'), isLong: true },
      },
      modelField('video', { value: model, label: say('video.form.model'), hint: say('video.form.modelHint') }, models),
      { type: 'text', name: 'duration', label: say('video.form.duration') },
      { type: 'text', name: 'size', label: say('video.form.size') },
    ],
  };
}

function readForm({ words = '', pictures: images = '', model = '', duration = '', size = '' }: FormValues['fields']) {
  return {
    model: model.trim() === '' ? undefined : model.trim(),
    values: { prompt: words, links: images, duration, size },
  };
}
