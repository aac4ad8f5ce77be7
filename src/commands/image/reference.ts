import { customIds } from '../../discord/custom-ids.ts';
import { throwIfRefusal } from '../../lib/refusal.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { isSpoiler } from '../../services/tasks/task-facts.ts';
import { imageForm } from '../form-images.ts';
import { emptyPromptRefusal } from '../options.ts';
import { imageRequest } from './request.ts';

/** Generates an image with the images of a result or a message as references. */
export const reference = imageForm({
  menu: 'reference',
  purpose: 'image',
  opened: customIds.reference,
  filled: customIds.referenceFilled,
  /** With more references, each of them has hardly any effect. */
  maxImages: 10,
  texts: 'reference',
  parse({ words = '' }) {
    const prompt = words.trim();
    return emptyPromptRefusal({ prompt }) ?? { prompt };
  },
  async run({ prompt }, { parent, links, model }, context) {
    const request = throwIfRefusal(imageRequest({ prompt, links }));
    const spoilerField = parent && isSpoiler(parent) ? { spoiler: true } : {};
    return submitOrder({ kind: 'image', request: { ...request, model, ...spoilerField }, parent }, context);
  },
});
