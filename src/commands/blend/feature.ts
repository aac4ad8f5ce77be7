import { z } from 'zod';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Attachment } from '../../discord/options.ts';
import type { KindView } from '../../messages/kind-view.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { givenPicture } from '../../services/tasks/materials.ts';
import { type KindSpec, requestShape } from '../../services/tasks/task.ts';
import type { Feature } from '../feature.ts';
import { pictureOption, picturesIn, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';

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

const blendSpec: KindSpec<'blend'> = {
  request: blendShape.loose(),
  traits: { isPaid: true, isGrid: () => true },
};

/** One picture of several (4.3). */
const blendKind = (imgx: Gateway['imgx'], source: Source): Kind =>
  kind({
    name: 'blend',
    source,
    patience: () => 'picture',
    durationKey: () => 'blend',
    submit: ({ shape }, { materials: { pictures = [] } }) => imgx.blend({ pictures, ...(shape && { shape }) }),
  });

/** A grid like that of words; its name says what was blended. */
const blendView: KindView<'blend'> = {
  facts: ({ request: { shape } }, say) => (shape === undefined ? [] : [`-# ${say(`task.blend.${shape}`)}`]),
};

/** As the gateway calls them. */
const SHAPES: Readonly<Record<string, (typeof shapes)[number]>> = {
  portrait: 'PORTRAIT',
  square: 'SQUARE',
  landscape: 'LANDSCAPE',
};

const blendCommand = command({
  name: 'blend',
  isPrivate: (values) => values.private ?? false,
  options: {
    image1: { ...pictureOption, required: true },
    image2: { ...pictureOption, required: true },
    image3: pictureOption,
    image4: pictureOption,
    image5: pictureOption,
    aspect: { type: 'text', choices: Object.keys(SHAPES) },
    private: { type: 'switch' },
  },
  guards: [(_place, values) => unfitReference(handedIn(values)), mayPostFiles],
  async run({ aspect = '', ...values }, { services, origin }: Ask<Services>) {
    const pictures = picturesIn(handedIn(values));
    const title = pictures.map(({ name }) => name).join(' + ');
    const shape = SHAPES[aspect];
    const request = { pictures, title, ...(shape && { shape }) };
    await services.tasks.orders.submit({ ...origin, kind: 'blend', request });
    return 'shown as it goes';
  },
});

/** The first is counted here, for none is more than another. */
const handedIn = ({ image1: image, ...others }: { image1: Attachment }) => ({ image, ...others });

export const blend: Feature<typeof text> = {
  command: blendCommand,
  specs: { blend: blendSpec },
  text,
  kinds: ({ gateway, imgx }) => [blendKind(gateway.imgx, imgx)],
  views: { blend: blendView },
};
