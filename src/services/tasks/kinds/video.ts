import { z } from 'zod';
import type { Gateway } from '../../gateway/index.ts';
import { type Materials, type Reference, reference } from '../materials.ts';
import { type Kind, kind, type Patience } from './kind.ts';

const anything = z.record(z.string(), z.json());

const film = z.object({
  prompt: z.string(),
  model: z.string(),
  size: z.string().optional(),
  duration: z.union([z.number(), z.string()]).optional(),
  mode: z.string().optional(),
  /** In their order: pictures (a first and a last frame where the model reads them so), films, sounds. */
  references: z.array(reference).optional(),
  /** Extension fields, at the top level. */
  extra: anything.optional(),
});

const generic = film.extend({
  aspectRatio: z.string().optional(),
  resolution: z.string().optional(),
  faceCheck: z.boolean().optional(),
  metadata: anything.optional(),
});

const vendor = film.omit({ size: true, extra: true }).extend({ duration: z.number().optional() });

type Durable = Pick<z.output<typeof film>, 'model' | 'mode'>;

/** A better mode takes its time. */
const durationKey = ({ model, mode = '' }: Durable): string => `video:${model}:${mode}`;
const modelOf = ({ model }: Durable): string => model;
const patience = (): Patience => 'video';

function given({ references = [] }: Materials, medium: Reference['medium']): string[] {
  return references.filter((one) => one.medium === medium).map((one) => one.given);
}

/** The generic entry and `/v1/videos` (4.4), and image-to-video on the vendor path (4.2). */
export function videoKinds({ videos, secondVideos, imageToVideo }: Gateway): Kind[] {
  return [
    kind({
      name: 'video',
      source: { name: 'videos', one: (remoteId) => videos.get(remoteId, { attempts: 1 }) },
      request: generic,
      ...{ patience, durationKey, model: modelOf },
      submit({ references: _, ...request }: z.output<typeof generic>, { materials }) {
        const images = given(materials, 'image');
        const [referenceVideos, referenceAudios] = [given(materials, 'video'), given(materials, 'audio')];
        return videos.create({
          ...request,
          ...(images.length === 1 && { image: images[0] }),
          ...(images.length > 1 && { images }),
          ...(referenceVideos.length > 0 && { referenceVideos }),
          ...(referenceAudios.length > 0 && { referenceAudios }),
        });
      },
    }),
    kind({
      name: 'second-video',
      source: { name: 'second videos', one: (remoteId) => secondVideos.get(remoteId, { attempts: 1 }) },
      request: film,
      ...{ patience, durationKey, model: modelOf },
      submit({ references: _, mode: __, ...request }: z.output<typeof film>, { materials }) {
        const [image] = given(materials, 'image');
        return secondVideos.create({ ...request, ...(image !== undefined && { image }) });
      },
    }),
    kind({
      name: 'image-to-video',
      source: { name: 'image to video', one: (remoteId) => imageToVideo.get(remoteId, { attempts: 1 }) },
      request: vendor,
      ...{ patience, durationKey, model: modelOf },
      submit({ references: _, ...request }: z.output<typeof vendor>, { materials }) {
        const [image = ''] = given(materials, 'image');
        return imageToVideo.create({ ...request, image });
      },
    }),
  ];
}
