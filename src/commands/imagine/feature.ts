import { requirePostPermissions } from '../../discord/guards.ts';
import { command, type HandlerContext } from '../../discord/handlers.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { type ActionMeaning, meaningOfAction, meaningOfChange } from '../../services/tasks/actions.ts';
import type { Feature } from '../feature.ts';
import { imageOptions, linksOption, promptOption } from '../options.ts';
import type { Services } from '../services.ts';
import { buttons, forms, openers } from './buttons.ts';
import { flagOptions } from './flags.ts';
import { imagineKinds } from './kinds.ts';
import { allLinesButton, allLinesConfirmButton, lineOpener, lineSubmit } from './lines.ts';
import { imagineRequest, imagineSpecs } from './request.ts';
import { text } from './text.ts';
import { animateOpener, animateSubmit, animateView, videoButtons } from './videos.ts';

const { aspect, negative, ...otherFlags } = flagOptions;

const imagineCommand = command({
  name: 'imagine',
  isPrivate: (values) => values.private ?? false,
  onlyOrders: true,
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
  guards: [requirePostPermissions],
  run: (request, context: HandlerContext<Services>) => submitOrder({ kind: 'imagine', request }, context),
});

const lineageText = ({ family, index }: ActionMeaning, say: Say): string =>
  say(`task.what.${family}`, { index: String(index ?? '') });
const actionView: KindView<'action'> = {
  lineage: ({ request }, say) => lineageText(meaningOfAction(request.customId), say),
  moreButtons: videoButtons,
};
const changeView: KindView<'change'> = {
  lineage: ({ request }, say) => lineageText(meaningOfChange(request), say),
  moreButtons: videoButtons,
};

export const imagine: Feature<typeof text> = {
  command: imagineCommand,
  text,
  buttons: [...buttons, allLinesButton, allLinesConfirmButton],
  openers: [...openers, lineOpener, animateOpener],
  forms: [...forms, lineSubmit, animateSubmit],
  specs: imagineSpecs,
  kinds: imagineKinds,
  views: { action: actionView, change: changeView, animate: animateView },
};
