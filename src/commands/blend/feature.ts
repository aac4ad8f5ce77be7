import { z } from 'zod';
import { Refusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { defineRequest } from '../../services/tasks/kind-spec.ts';
import { memberFile } from '../../services/tasks/materials.ts';
import { command, type Feature } from '../feature.ts';
import { imageOption, readImages } from '../options.ts';

/** The gateway's names for the aspect ratios. */
const shapes = ['PORTRAIT', 'SQUARE', 'LANDSCAPE'] as const;

const blendShape = defineRequest({
  pictures: z.array(memberFile).min(2).max(5),
  shape: z.enum(shapes).optional(),
});

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    blend: z.output<typeof blendShape>;
  }
}

const blendView: KindView<'blend'> = {
  facts: ({ request: { shape } }, say) => (shape === undefined ? [] : [`-# ${say(`task.blend.${shape}`)}`]),
};

/** Blends several images into a grid of new ones (specification, 4.3). */
export const blend: Feature = {
  command: command({
    name: 'blend',
    onlyOrders: true,
    options: {
      image1: { ...imageOption, required: true },
      image2: { ...imageOption, required: true },
      image3: imageOption,
      image4: imageOption,
      image5: imageOption,
      aspect: { type: 'text', choices: shapes.map((shape) => shape.toLowerCase()) },
    },
    parse({ aspect, image1: image, ...others }) {
      const images = readImages({ image, ...others });
      if (images instanceof Refusal) return images;
      const shape = shapes.find((one) => one.toLowerCase() === aspect);
      return { pictures: images, title: images.map(({ name }) => name).join(' + '), ...(shape && { shape }) };
    },
    run: (request, context) => submitOrder({ kind: 'blend', request }, context),
  }),
  specs: { blend: { request: blendShape.loose(), traits: { isPaid: true, isVisual: true, isGrid: () => true } } },
  kinds: ({ gateway, imgxKind }) => [
    imgxKind({
      name: 'blend',
      submit: ({ shape }, { materials: { images = [] }, user, callbackUrl }) =>
        gateway.imgx.blend({ images, ...(shape && { shape }), callbackUrl }, { user }),
    }),
  ],
  views: { blend: blendView },
};
