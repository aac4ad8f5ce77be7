import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { type ActionMeaning, meaningOfAction, meaningOfChange } from '../../services/tasks/actions.ts';
import type { Feature } from '../feature.ts';
import { imageOptions, linksOption, promptOption } from '../options.ts';
import type { Services } from '../services.ts';
import { animate, animateFilled, animateOpener, filmButtons } from './animations.ts';
import { buttons, forms, openers } from './buttons.ts';
import { flagOptions } from './flags.ts';
import { imagineKinds } from './kinds.ts';
import { allLinesButton, allLinesConfirmed, lineOpener, lineWritten } from './lines.ts';
import { imagineRequest, imagineSpecs } from './request.ts';
import { text } from './text.ts';

const { aspect, negative, ...otherFlags } = flagOptions;

const imagineCommand = command({
  name: 'imagine',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    aspect,
    negative,
    ...imageOptions.five,
    links: linksOption,
    ...otherFlags,
    spoiler: { type: 'switch' },
    private: { type: 'switch' },
  },
  parse: (values) => imagineRequest(values),
  guards: [mayPostFiles],
  run: (request, ask: Ask<Services>) => submitOrder({ kind: 'imagine', request }, ask),
});

const madeBy = ({ family, index }: ActionMeaning, say: Say): string =>
  say(`task.what.${family}`, { index: String(index ?? '') });
const actionView: KindView<'action'> = {
  lineage: ({ request }, say) => madeBy(meaningOfAction(request.customId), say),
  more: filmButtons,
};
const changeView: KindView<'change'> = {
  lineage: ({ request }, say) => madeBy(meaningOfChange(request), say),
  more: filmButtons,
};

export const imagine: Feature<typeof text> = {
  command: imagineCommand,
  text,
  buttons: [...buttons, allLinesButton, allLinesConfirmed],
  openers: [...openers, lineOpener, animateOpener],
  forms: [...forms, lineWritten, animateFilled],
  specs: imagineSpecs,
  kinds: ({ gateway, imgx }) => imagineKinds(gateway.imgx, imgx),
  views: { action: actionView, change: changeView, animate },
};
