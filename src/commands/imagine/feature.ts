import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { type ActionMeaning, meaningOfAction, meaningOfChange } from '../../services/tasks/actions.ts';
import type { Feature } from '../feature.ts';
import { promptOption } from '../prompt-option.ts';
import { linksOption, pictureOption } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { animate, animateFilled, animateOpener, filmButtons } from './animate.ts';
import {
  actionButton,
  changeButton,
  continueOpener,
  continueWritten,
  upscaleAllButton,
  wordsOpener,
  wordsWritten,
} from './buttons.ts';
import { ranges } from './flags.ts';
import { imagineKinds } from './kinds.ts';
import { allLinesButton, allLinesConfirmed, lineOpener, lineWritten } from './lines.ts';
import { imagineRequest, imagineSpecs } from './request.ts';
import { text } from './text.ts';

const LONGEST_NEGATIVE = 500;

const whole = { type: 'number', whole: true } as const;

const imagineCommand = command({
  name: 'imagine',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    aspect: { type: 'text', choices: ['1:1', '3:2', '2:3', '4:3', '3:4', '16:9', '9:16', '21:9'] },
    negative: { type: 'text', most: LONGEST_NEGATIVE },
    image: pictureOption,
    image2: pictureOption,
    image3: pictureOption,
    image4: pictureOption,
    image5: pictureOption,
    links: linksOption,
    weight: { type: 'number', ...ranges.weight },
    style: { type: 'text', choices: ['raw', 'cute', 'expressive', 'original', 'scenic'] },
    version: { type: 'text', choices: ['7', '6.1', '6', '5.2', 'niji 7', 'niji 6', 'niji 5'] },
    quality: { type: 'text', choices: ['0.25', '0.5', '1', '2', '4'] },
    stylize: { ...whole, ...ranges.stylize },
    chaos: { ...whole, ...ranges.chaos },
    weird: { ...whole, ...ranges.weird },
    seed: { ...whole, ...ranges.seed },
    tile: { type: 'switch' },
    spoiler: { type: 'switch' },
    private: { type: 'switch' },
  },
  parse: (values) => imagineRequest(values),
  guards: [mayPostFiles],
  async run(request, { services, origin }: Ask<Services>) {
    await services.tasks.orders.submit({ ...origin, kind: 'imagine', request });
    return 'shown as it goes';
  },
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
  buttons: [actionButton, changeButton, upscaleAllButton, allLinesButton, allLinesConfirmed],
  openers: [wordsOpener, continueOpener, lineOpener, animateOpener],
  forms: [wordsWritten, continueWritten, lineWritten, animateFilled],
  specs: imagineSpecs,
  kinds: ({ gateway, imgx }) => imagineKinds(gateway.imgx, imgx),
  // Made of a result by what the gateway offers.
  views: { action: actionView, change: changeView, animate },
};
