import { submitOrder } from '../../messages/pressed-task.ts';
import { readChoices } from '../choices.ts';
import { command, type Feature } from '../feature.ts';
import { imageOptions, linksOption, promptOption } from '../options.ts';
import { imagineButtons } from './buttons.ts';
import { flagOptions } from './flags.ts';
import { imagineKinds } from './kinds.ts';
import { lineHandlers } from './lines.ts';
import { imagineRequest, imagineSpecs, withSettings } from './request.ts';
import { text } from './text.ts';
import { animateHandlers, animateView, videoButtons } from './videos.ts';

/** Discord lists options in the order in which a command names them, and these two come before the images. */
const { aspect, negative, ...otherFlags } = flagOptions;

export const imagine: Feature<typeof text> = {
  command: command({
    name: 'imagine',
    onlyOrders: true,
    options: {
      prompt: promptOption,
      aspect,
      negative,
      ...imageOptions.five,
      links: linksOption,
      ...otherFlags,
      spoiler: { type: 'switch' },
    },
    parse: (values) => imagineRequest(values),
    async run(request, context) {
      return submitOrder({ kind: 'imagine', request: withSettings(request, await readChoices(context)) }, context);
    },
  }),
  text,
  handlers: [...imagineButtons, ...lineHandlers, ...animateHandlers],
  specs: imagineSpecs,
  kinds: imagineKinds,
  views: { action: { moreButtons: videoButtons }, change: { moreButtons: videoButtons }, animate: animateView },
};
