import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Attachment } from '../../discord/options.ts';
import type { Feature } from '../feature.ts';
import { picturesIn, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { blendKind } from './kind.ts';
import { blend as blendView } from './view.ts';

const picture = { type: 'attachment', accept: ['image'] } as const;

/** As the gateway calls them. */
const SHAPES: Readonly<Record<string, 'PORTRAIT' | 'SQUARE' | 'LANDSCAPE'>> = {
  portrait: 'PORTRAIT',
  square: 'SQUARE',
  landscape: 'LANDSCAPE',
};

const blendCommand = command({
  name: 'blend',
  isPrivate: (values) => values.private ?? false,
  options: {
    image1: { ...picture, required: true },
    image2: { ...picture, required: true },
    image3: picture,
    image4: picture,
    image5: picture,
    aspect: { type: 'text', choices: Object.keys(SHAPES) },
    private: { type: 'switch' },
  },
  guards: [(_place, values) => unfitReference(handedIn(values)), mayPostFiles],
  async run({ aspect = '', ...values }, { services, origin }: Ask<Services>) {
    const pictures = picturesIn(handedIn(values));
    const title = pictures.map(({ name }) => name).join(' + ');
    const shape = SHAPES[aspect];
    const request = { pictures, title, ...(shape && { shape }) };
    await services.tasks.submit({ ...origin, kind: 'blend', request });
    return 'shown as it goes';
  },
});

/** The first is counted here, for none is more than another. */
const handedIn = ({ image1: image, ...others }: { image1: Attachment }) => ({ image, ...others });

export const blend: Feature = {
  command: blendCommand,
  kinds: ({ gateway, imgx }) => [blendKind(gateway.imgx, imgx)],
  views: { blend: blendView },
};
