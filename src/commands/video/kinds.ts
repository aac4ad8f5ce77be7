import { withoutUndefined } from '../../lib/entries.ts';
import { referenceLimits } from '../../services/gateway/reference-limits.ts';
import { defineKind, type Kind, type WaitLimit } from '../../services/tasks/kind.ts';
import type { Materials, PreparedReference } from '../../services/tasks/materials.ts';
import type { KindTools } from '../feature.ts';
import type { VideoRequest } from './request.ts';

/** Jobs in a higher-quality mode take longer. */
const durationKey = ({ model, mode = '' }: VideoRequest): string => `video:${model}:${mode}`;
const videoLimit = (): WaitLimit => 'video';

function givenReferences({ references = [] }: Materials, medium: PreparedReference['medium']): string[] {
  return references.filter((one) => one.medium === medium).map((one) => one.uri);
}

/** The fields for a first and a last frame. */
function framesFor(model: string, [image, lastImage]: readonly string[]) {
  if (image === undefined || lastImage === undefined) return { image };
  return referenceLimits(model).lastFrame === 'image_tail'
    ? { image, image_tail: lastImage }
    : { images: [image, lastImage] };
}

/** The generic endpoint and `/v1/videos` (specification, 4.4), and image-to-video on the vendor path (4.2). */
export function videoKinds({
  gateway: { videos, v1Videos, imageToVideo },
  videosBody,
  callbackFields,
}: KindTools): Kind[] {
  const acceptsCallback = callbackFields?.video !== undefined;
  return [
    defineKind({
      name: 'video',
      source: { name: 'videos', endpoint: videos },
      acceptsCallback,
      waitLimit: videoLimit,
      durationKey,
      submit(request, { materials, user, callbackUrl }) {
        const { prompt, model, size, duration, aspectRatio, resolution, mode, metadata, extra, faceCheck } = request;
        const images = givenReferences(materials, 'image');
        const referenceVideos = givenReferences(materials, 'video');
        const referenceAudios = givenReferences(materials, 'audio');
        return videos.create(
          {
            prompt,
            model,
            size,
            duration,
            aspectRatio,
            resolution,
            mode,
            metadata,
            extra,
            faceCheck,
            callbackUrl,
            ...(images.length === 1 && { image: images[0] }),
            ...(images.length > 1 && { images }),
            ...(referenceVideos.length > 0 && { referenceVideos }),
            ...(referenceAudios.length > 0 && { referenceAudios }),
          },
          { user },
        );
      },
    }),
    defineKind({
      name: 'second-video',
      // A form can contain files, but no URLs.
      ...(videosBody === 'form' && { transfer: 'base64' }),
      source: { name: 'second videos', endpoint: v1Videos },
      acceptsCallback,
      waitLimit: videoLimit,
      durationKey,
      submit({ prompt, model, size, duration, ...request }, { materials, user, callbackUrl }) {
        const { aspectRatio: aspect_ratio, resolution, mode, metadata, extra } = request;
        // The specification does not show this endpoint's fields, so those of the generic one are sent as extension fields.
        const extensions = withoutUndefined({ aspect_ratio, resolution, mode, metadata, ...extra });
        const { image, ...lastFrame } = framesFor(model, givenReferences(materials, 'image'));
        const extraFields = { ...extensions, ...lastFrame };
        return v1Videos.create(
          { prompt, model, size, duration, ...withoutUndefined({ image }), extra: extraFields, callbackUrl },
          { user },
        );
      },
    }),
    defineKind({
      name: 'image-to-video',
      source: { name: 'image to video', endpoint: imageToVideo },
      acceptsCallback,
      waitLimit: videoLimit,
      durationKey,
      submit({ prompt, model, duration, mode }, { materials, user, callbackUrl }) {
        const [image = '', imageTail] = givenReferences(materials, 'image');
        return imageToVideo.create(
          { prompt, model, duration, mode, image, ...withoutUndefined({ imageTail }), callbackUrl },
          { user },
        );
      },
    }),
  ];
}
