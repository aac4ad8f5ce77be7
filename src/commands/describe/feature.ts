import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command, type Menu } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { GivenPicture } from '../../services/tasks/materials.ts';
import type { Feature } from '../feature.ts';
import { picturesIn, picturesOn, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { describeKind } from './kind.ts';
import { describe as describeView } from './view.ts';

const picture = { type: 'attachment', accept: ['image'] } as const;

/** As many as the command takes. */
const MOST_PICTURES = 4;

const describeCommand = command({
  name: 'describe',
  isPrivate: (values) => values.private ?? false,
  options: {
    image: { ...picture, required: true },
    image2: picture,
    image3: picture,
    image4: picture,
    private: { type: 'switch' },
  },
  guards: [(_place, values) => unfitReference(values), mayPostFiles],
  run: (values, ask: Ask<Services>) => described(picturesIn(values), ask),
});

/** The same for the pictures of any message. Only whoever asked sees it: the message may be somebody else's. */
const describeMenu: Menu<Services> = {
  name: 'describe',
  isPrivate: true,
  async run(target, ask) {
    const pictures = picturesOn(target).slice(0, MOST_PICTURES);
    if (pictures.length === 0) throw new Refusal('refusals.noPictureHere');
    return described(
      pictures.map(({ address, name }) => ({ address, name })),
      ask,
    );
  },
};

async function described(pictures: GivenPicture[], { services, origin }: Ask<Services>) {
  const title = pictures.map(({ name }) => name).join(', ');
  await services.tasks.submit({ ...origin, kind: 'describe', request: { pictures, title } });
  return 'shown as it goes' as const;
}

export const describe: Feature = {
  command: describeCommand,
  menus: [describeMenu],
  kinds: ({ gateway, imgx }) => [describeKind(gateway.imgx, imgx)],
  views: { describe: describeView },
};
