import { z } from 'zod';
import { customIds } from '../../discord/custom-ids.ts';
import type { Menu } from '../../discord/handlers.ts';
import { buttonPlan } from '../../discord/plan.ts';
import { publicId } from '../../discord/target-message.ts';
import { Refusal } from '../../lib/refusal.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { fullTextFile, lineButtons, numberedLines } from '../../messages/result-lines.ts';
import { defineRequest } from '../../services/tasks/kind-spec.ts';
import { type MemberFile, memberFile } from '../../services/tasks/materials.ts';
import type { OrderedRequest } from '../../services/tasks/transitions.ts';
import { command, type Feature, type Services } from '../feature.ts';
import { imageOption, imageOptions, imagesOnMessage, readImages, toMemberFile } from '../options.ts';

const describeShape = defineRequest({ pictures: z.array(memberFile).min(1) });

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    describe: z.output<typeof describeShape>;
  }
}

/** The same as the number of the command's image options. */
const MAX_IMAGES = 4;

/** Describes the images in any message. Its reply is private, because the message may be another member's. */
const describeMenu: Menu<Services> = {
  name: 'describe',
  isPrivate: true,
  onlyOrders: true,
  async run(target, context) {
    const images = imagesOnMessage(target).slice(0, MAX_IMAGES);
    if (images.length === 0) throw new Refusal('refusals.noImageInMessage');
    return submitOrder(orderOf(images.map(toMemberFile), publicId(target)), context);
  },
};

const orderOf = (images: MemberFile[], about?: string): OrderedRequest<'describe'> => ({
  kind: 'describe',
  request: { pictures: images, title: images.map(({ name }) => name).join(', '), about },
});

/** Suggests prompts that could have produced an image; each has a button to generate from it. */
export const describe: Feature = {
  command: command({
    name: 'describe',
    onlyOrders: true,
    options: {
      ...imageOptions.four,
      image: { ...imageOption, required: true },
    },
    parse: (values) => readImages(values),
    run: (images, context) => submitOrder(orderOf(images), context),
  }),
  menus: [describeMenu],
  specs: { describe: { request: describeShape.loose(), traits: { isPaid: true } } },
  kinds: ({ gateway, imgxKind }) => [
    imgxKind({
      name: 'describe',
      submit: (_request, { materials: { images = [] }, user, callbackUrl }) =>
        gateway.imgx.describe({ images, callbackUrl }, { user }),
    }),
  ],
  views: {
    describe: {
      sourceImages: ({ request }) => request.pictures ?? [],
      result: (task, say) => numberedLines(task, say),
      files: (task) => fullTextFile(task),
      // The gateway's own buttons are not used, because many gateways reject those that they return for these lines.
      buttons(task, _offering, say) {
        const { each, all } = lineButtons(task, say);
        const options = { emoji: '🔄', startsRow: true };
        return [...each, buttonPlan(say('task.buttons.describeAgain'), customIds.repeat.id(task.id), options), ...all];
      },
    },
  },
};
