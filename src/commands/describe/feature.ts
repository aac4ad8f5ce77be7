import { z } from 'zod';
import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command, type Menu } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { lineButtons, shownLines, wholeText } from '../../messages/lines.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { type GivenPicture, givenPicture } from '../../services/tasks/materials.ts';
import { type KindSpec, requestShape } from '../../services/tasks/task.ts';
import type { Feature } from '../feature.ts';
import { pictureOption, picturesIn, picturesOn, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';

const describeShape = requestShape({ pictures: z.array(givenPicture).min(1) });

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    describe: z.output<typeof describeShape>;
  }
}

const describeSpec: KindSpec<'describe'> = { request: describeShape.loose(), traits: { isPaid: true } };

/** Words for a picture (4.3). */
const describeKind = (imgx: Gateway['imgx'], source: Source): Kind =>
  kind({
    name: 'describe',
    source,
    patience: () => 'picture',
    durationKey: () => 'describe',
    submit: (_request, { materials: { pictures = [] } }) => imgx.describe({ pictures }),
  });

/** Words that could have led to the pictures, each to go on from. The gateway's own buttons for them are refused by many gateways. */
const describeView: KindView<'describe'> = {
  given: ({ request }) => request.pictures,
  result: (task, say) => shownLines(task, say),
  files: (task) => wholeText(task),
  buttons(task, _offering, say) {
    const { each, all } = lineButtons(task, say);
    const id = customIds.same.id(task.id);
    const label = say('task.buttons.describeAgain');
    return [...each, { type: 'button', id, label, emoji: '🔄', startsRow: true }, ...all];
  },
};

/** As many as the command takes. */
const MOST_PICTURES = 4;

const describeCommand = command({
  name: 'describe',
  isPrivate: (values) => values.private ?? false,
  options: {
    image: { ...pictureOption, required: true },
    image2: pictureOption,
    image3: pictureOption,
    image4: pictureOption,
    private: { type: 'switch' },
  },
  guards: [(_place, values) => unfitReference(values), mayPostFiles],
  run: (values, ask: Ask<Services>) => described(picturesIn(values), ask),
});

/** The same for the pictures of any message. Only whoever asked sees it: the message may be somebody else's. */
const describeMenu: Menu<Services> = {
  name: 'describe',
  formerNames: ['Describe this picture'],
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

export const describe: Feature<typeof text> = {
  command: describeCommand,
  text,
  menus: [describeMenu],
  specs: { describe: describeSpec },
  kinds: ({ gateway, imgx }) => [describeKind(gateway.imgx, imgx)],
  views: { describe: describeView },
};
