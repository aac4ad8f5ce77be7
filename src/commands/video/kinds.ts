import { withoutUndefined } from '../../lib/entries.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { defineKind, type Kind, type WaitLimit } from '../../services/tasks/kind.ts';
import type { Materials, Reference } from '../../services/tasks/materials.ts';
import type { TaskRequests } from '../../services/tasks/task.ts';

type Durable = Pick<TaskRequests['video'], 'model' | 'mode'>;

/** A better mode takes longer. */
const durationKey = ({ model, mode = '' }: Durable): string => `video:${model}:${mode}`;
const videoLimit = (): WaitLimit => 'video';

function given({ references = [] }: Materials, medium: Reference['medium']): string[] {
  return references.filter((one) => one.medium === medium).map((one) => one.given);
}

/** The generic entry and `/v1/videos` (4.4), and image-to-video on the vendor path (4.2). */
export function videoKinds({ videos, v1Videos, imageToVideo }: Gateway): Kind[] {
  return [
    defineKind({
      name: 'video',
      source: { name: 'videos', pollOne: (remoteId) => videos.get(remoteId, { attempts: 1 }) },
      waitLimit: videoLimit,
      durationKey,
      submit(request, { materials }) {
        const { prompt, model, size, duration, aspectRatio, resolution, mode, metadata, extra, faceCheck } = request;
        const images = given(materials, 'image');
        const [referenceVideos, referenceAudios] = [given(materials, 'video'), given(materials, 'audio')];
        return videos.create({
          ...{ prompt, model, size, duration, aspectRatio, resolution, mode, metadata, extra, faceCheck },
          ...(images.length === 1 && { image: images[0] }),
          ...(images.length > 1 && { images }),
          ...(referenceVideos.length > 0 && { referenceVideos }),
          ...(referenceAudios.length > 0 && { referenceAudios }),
        });
      },
    }),
    defineKind({
      name: 'second-video',
      source: { name: 'second videos', pollOne: (remoteId) => v1Videos.get(remoteId, { attempts: 1 }) },
      waitLimit: videoLimit,
      durationKey,
      submit({ prompt, model, size, duration, ...request }, { materials }) {
        const { aspectRatio: aspect_ratio, resolution, mode, metadata, extra } = request;
        const [image] = given(materials, 'image');
        // The specification does not show this endpoint's fields, so those of the generic one are sent as extension fields.
        const beside = withoutUndefined({ aspect_ratio, resolution, mode, metadata, ...extra });
        return v1Videos.create({ prompt, model, size, duration, ...withoutUndefined({ image }), extra: beside });
      },
    }),
    defineKind({
      name: 'image-to-video',
      source: { name: 'image to video', pollOne: (remoteId) => imageToVideo.get(remoteId, { attempts: 1 }) },
      waitLimit: videoLimit,
      durationKey,
      submit({ prompt, model, duration, mode }, { materials }) {
        const [image = ''] = given(materials, 'image');
        return imageToVideo.create({ prompt, model, duration, mode, image });
      },
    }),
  ];
}
