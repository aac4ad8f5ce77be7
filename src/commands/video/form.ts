import { customIds } from '../../discord/custom-ids.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { ListedModel } from '../../services/models/catalogue.ts';
import { isSpoiler } from '../../services/tasks/task-facts.ts';
import { type FormSource, imageForm, imagesField } from '../form-images.ts';
import { chooseModel, modelField, modelsForForm } from '../options.ts';
import { submitOrConfirm } from './limits.ts';
import { videoOrder, videoRequest } from './request.ts';

/** Makes a video from the images of a result or a message. */
export const videoOfImages = imageForm({
  menu: 'video',
  opened: customIds.makeVideo,
  filled: customIds.makeVideoFilled,
  /** The highest number that any model is known to accept (specification, part 8). */
  maxImages: 7,
  async plan(id, source, context) {
    const choice = await modelsForForm('video', context.services.settings.models.video, context);
    return videoForm({ id, source, ...choice }, context.say);
  },
  parse({ words: prompt = '', model = '', duration = '', size = '' }) {
    const values = { prompt, duration, size };
    const request = videoRequest(values);
    return request instanceof Refusal ? request : { values, typed: model.trim() || undefined };
  },
  async run({ values, typed }, { task: parent, links }, context) {
    const model = await chooseModel('video', typed, context.services);
    const draft = throwIfRefusal(videoRequest({ ...values, links }));
    const spoiler = parent && isSpoiler(parent);
    const order = videoOrder(draft, { model, fields: context.services.settings.gateway.fields, spoiler });
    return submitOrConfirm({ ...order, parent }, context);
  },
});

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
