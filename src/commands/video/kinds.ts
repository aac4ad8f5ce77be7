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

/** The fields for references of all media. */
function referencesIn(materials: Materials) {
  const images = givenReferences(materials, 'image');
  const referenceVideos = givenReferences(materials, 'video');
  const referenceAudios = givenReferences(materials, 'audio');
  return {
    ...(images.length === 1 && { image: images[0] }),
    ...(images.length > 1 && { images }),
    ...(referenceVideos.length > 0 && { referenceVideos }),
    ...(referenceAudios.length > 0 && { referenceAudios }),
  };
}

/** The fields for a first and a last frame. */
function framesFor(model: string, [image, lastImage]: readonly string[]) {
  if (image === undefined || lastImage === undefined) return { image };
  return referenceLimits(model).lastFrame === 'image_tail'
    ? { image, image_tail: lastImage }
    : { images: [image, lastImage] };
}

/** The specification does not show the fields of `/v1/videos`, so those of the generic endpoint are sent as extension fields. */
const extensionsOf = ({ aspectRatio, resolution, mode, metadata, extra }: Partial<VideoRequest>) =>
  withoutUndefined({ aspect_ratio: aspectRatio, resolution, mode, metadata, ...extra });

/** The generic endpoint and `/v1/videos` (specification, 4.4), and image-to-video on the vendor path (4.2). */
export function videoKinds({ gateway, videosBody, callbackFields }: KindTools): Kind[] {
  const { videos, v1Videos, imageToVideo } = gateway;
  const shared = { acceptsCallback: callbackFields?.video !== undefined, waitLimit: videoLimit, durationKey };
  return [
    defineKind({
      name: 'video',
      source: { name: 'videos', endpoint: videos },
      ...shared,
      submit(request, { materials, user, callbackUrl }) {
        const { prompt, model, size, duration, aspectRatio, resolution, mode, metadata, extra, faceCheck } = request;
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
            ...referencesIn(materials),
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
      ...shared,
      submit({ prompt, model, size, duration, ...request }, { materials, user, callbackUrl }) {
        const { image, ...lastFrame } = framesFor(model, givenReferences(materials, 'image'));
        const extra = { ...extensionsOf(request), ...lastFrame };
        return v1Videos.create(
          { prompt, model, size, duration, ...withoutUndefined({ image }), extra, callbackUrl },
          { user },
        );
      },
    }),
    defineKind({
      name: 'image-to-video',
      source: { name: 'image to video', endpoint: imageToVideo },
      ...shared,
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
