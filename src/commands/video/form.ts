import { customIds } from '../../discord/custom-ids.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { isSpoiler } from '../../services/tasks/task-facts.ts';
import { imageForm } from '../form-images.ts';
import { submitOrConfirm } from './limits.ts';
import { videoOrder, videoRequest } from './request.ts';

/** Makes a video from the images of a result or a message. */
export const videoOfImages = imageForm({
  menu: 'video',
  purpose: 'video',
  opened: customIds.makeVideo,
  filled: customIds.makeVideoFilled,
  /** The highest number that any model is known to accept (specification, part 8). */
  maxImages: 7,
  texts: 'video.form',
  moreFields: (say) => [
    { type: 'text', name: 'duration', label: say('video.form.duration') },
    { type: 'text', name: 'size', label: say('video.form.size') },
  ],
  parse({ words: prompt = '', duration = '', size = '' }) {
    const values = { prompt, duration, size };
    const request = videoRequest(values);
    return request instanceof Refusal ? request : values;
  },
  async run(values, { parent, links, model }, context) {
    const draft = throwIfRefusal(videoRequest({ ...values, links }));
    const spoiler = parent && isSpoiler(parent);
    const order = videoOrder(draft, { model, fields: context.services.settings.gateway.fields, spoiler });
    return submitOrConfirm({ ...order, parent }, context);
  },
});
