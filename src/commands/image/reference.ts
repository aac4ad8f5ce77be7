import { customIds } from '../../discord/custom-ids.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import type { ListedModel } from '../../services/models/catalogue.ts';
import { isSpoiler } from '../../services/tasks/task-facts.ts';
import { type FormSource, imageForm, imagesField } from '../form-images.ts';
import { chooseModel, emptyPromptRefusal, modelField, modelsForForm } from '../options.ts';
import { imageRequest } from './request.ts';

/** Generates an image with the images of a result or a message as references. */
export const reference = imageForm({
  menu: 'reference',
  opened: customIds.reference,
  filled: customIds.referenceFilled,
  /** With more references, each of them has hardly any effect. */
  maxImages: 10,
  async plan(id, source, context) {
    const { task } = source;
    const preferred = (task?.kind === 'image' ? task.model : undefined) ?? context.services.settings.models.image;
    return referenceForm({ id, source, ...(await modelsForForm('image', preferred, context)) }, context.say);
  },
  parse({ words = '', model = '' }) {
    const prompt = words.trim();
    return emptyPromptRefusal({ prompt }) ?? { prompt, typed: model.trim() || undefined };
  },
  async run({ prompt, typed }, { task: parent, links }, context) {
    const model = await chooseModel('image', typed, context.services);
    const request = throwIfRefusal(imageRequest({ prompt, links }));
    const spoilerField = parent && isSpoiler(parent) ? { spoiler: true } : {};
    return submitOrder({ kind: 'image', request: { ...request, model, ...spoilerField }, parent }, context);
  },
});

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
