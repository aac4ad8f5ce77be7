import { readChoices } from '../choices.ts';
import { command, type Feature } from '../feature.ts';
import { imageOptions, linksOption, promptOption } from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { imagineButtons } from './buttons.ts';
import { flagOptions, takeRepeat } from './flags.ts';
import { imagineKinds } from './kinds.ts';
import { imagineRequest, imagineSpecs, withSettings } from './request.ts';
import { animateHandlers, animateView, videoButtons } from './videos.ts';

/** Discord lists options in the order in which a command names them, and these two come before the images. */
const { aspect, negative, ...otherFlags } = flagOptions;

export const imagine: Feature = {
  command: command({
    name: 'imagine',
    onlyOrders: true,
    presets: presetsFor('imagine'),
    options: {
      prompt: promptOption,
      aspect,
      negative,
      ...imageOptions.five,
      links: linksOption,
      ...otherFlags,
      repeat: repeatOption,
      spoiler: { type: 'switch' },
    },
    asksFirst: hasVariants(takeRepeat),
    parse: ({ repeat, ...values }) =>
      readVariants({ ...values, repeat }, (prompt) => imagineRequest({ ...values, prompt }), takeRepeat),
    async run(variants, context) {
      const choices = await readChoices(context);
      return submitVariants(
        variants,
        (request) => ({ kind: 'imagine', request: withSettings(request, choices) }),
        context,
      );
    },
  }),
  handlers: [...imagineButtons, ...animateHandlers],
  specs: imagineSpecs,
  kinds: imagineKinds,
  views: { action: { moreButtons: videoButtons }, change: { moreButtons: videoButtons }, animate: animateView },
};
