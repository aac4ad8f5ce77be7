import { z } from 'zod';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { kind } from '../../services/tasks/kind.ts';
import { givenPicture } from '../../services/tasks/materials.ts';
import { requestShape } from '../../services/tasks/task.ts';
import type { Feature } from '../feature.ts';
import { imagesFrom, pictureOption } from '../options.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';

/** The gateway's names. */
const shapes = ['PORTRAIT', 'SQUARE', 'LANDSCAPE'] as const;

const blendShape = requestShape({
  pictures: z.array(givenPicture).min(2).max(5),
  shape: z.enum(shapes).optional(),
});

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    blend: z.output<typeof blendShape>;
  }
}

const blendCommand = command({
  name: 'blend',
  isPrivate: (values) => values.private ?? false,
  options: {
    image1: { ...pictureOption, required: true },
    image2: { ...pictureOption, required: true },
    image3: pictureOption,
    image4: pictureOption,
    image5: pictureOption,
    aspect: { type: 'text', choices: shapes.map((shape) => shape.toLowerCase()) },
    private: { type: 'switch' },
  },
  parse({ aspect, image1: image, ...others }) {
    const pictures = imagesFrom({ image, ...others });
    if (pictures instanceof Refusal) return pictures;
    const shape = shapes.find((one) => one.toLowerCase() === aspect);
    return { pictures, title: pictures.map(({ name }) => name).join(' + '), ...(shape && { shape }) };
  },
  guards: [mayPostFiles],
  run: (request, ask: Ask<Services>) => submitOrder({ kind: 'blend', request }, ask),
});

const blendView: KindView<'blend'> = {
  facts: ({ request: { shape } }, say) => (shape === undefined ? [] : [`-# ${say(`task.blend.${shape}`)}`]),
};

/** One image of several (4.3). */
export const blend: Feature<typeof text> = {
  command: blendCommand,
  text,
  specs: { blend: { request: blendShape.loose(), traits: { isPaid: true, isGrid: () => true } } },
  kinds: ({ gateway, imgx }) => [
    kind({
      name: 'blend',
      source: imgx,
      patience: () => 'picture',
      durationKey: () => 'blend',
      submit: ({ shape }, { materials: { pictures = [] } }) =>
        gateway.imgx.blend({ pictures, ...(shape && { shape }) }),
    }),
  ],
  views: { blend: blendView },
};
