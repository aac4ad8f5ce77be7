import { z } from 'zod';
import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command, type Menu } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { lineButtons, shownLines, wholeText } from '../../messages/lines.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import { kind } from '../../services/tasks/kind.ts';
import { type GivenPicture, givenPicture } from '../../services/tasks/materials.ts';
import { requestShape } from '../../services/tasks/task.ts';
import type { OrderedOf } from '../../services/tasks/transitions.ts';
import type { Feature } from '../feature.ts';
import { imageOptions, imagesFrom, pictureOption, picturesOn } from '../options.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';

const describeShape = requestShape({ pictures: z.array(givenPicture).min(1) });

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    describe: z.output<typeof describeShape>;
  }
}

const describeCommand = command({
  name: 'describe',
  isPrivate: (values) => values.private ?? false,
  options: {
    ...imageOptions.four,
    image: { ...pictureOption, required: true },
    private: { type: 'switch' },
  },
  parse: (values) => imagesFrom(values),
  guards: [mayPostFiles],
  run: (pictures, ask: Ask<Services>) => submitOrder(orderOf(pictures), ask),
});

/** As many as the command takes. */
const MOST_PICTURES = 4;

/** The same for the images of any message. Its answer is private, because the message may be another member's. */
const describeMenu: Menu<Services> = {
  name: 'describe',
  formerNames: ['Describe this picture'],
  isPrivate: true,
  async run(target, ask) {
    const pictures = picturesOn(target).slice(0, MOST_PICTURES);
    if (pictures.length === 0) throw new Refusal('refusals.noImageInMessage');
    return submitOrder(orderOf(pictures.map(({ address, name }) => ({ address, name }))), ask);
  },
};

const orderOf = (pictures: GivenPicture[]): OrderedOf<'describe'> => ({
  kind: 'describe',
  request: { pictures, title: pictures.map(({ name }) => name).join(', ') },
});

/** Prompts that could have led to an image, each to continue from (4.3). */
export const describe: Feature<typeof text> = {
  command: describeCommand,
  text,
  menus: [describeMenu],
  specs: { describe: { request: describeShape.loose(), traits: { isPaid: true } } },
  kinds: ({ gateway, imgx }) => [
    kind({
      name: 'describe',
      source: imgx,
      patience: () => 'picture',
      durationKey: () => 'describe',
      submit: (_request, { materials: { pictures = [] } }) => gateway.imgx.describe({ pictures }),
    }),
  ],
  views: {
    describe: {
      given: ({ request }) => request.pictures ?? [],
      result: (task, say) => shownLines(task, say),
      files: (task) => wholeText(task),
      // Many gateways refuse the gateway's own buttons for the lines.
      buttons(task, _offering, say) {
        const { each, all } = lineButtons(task, say);
        const look = { emoji: '🔄', startsRow: true };
        return [...each, buttonPlan(say('task.buttons.describeAgain'), customIds.same.id(task.id), look), ...all];
      },
    },
  },
};
