import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Feature } from '../feature.ts';
import { chosenModel, modelOption, suggestedModels } from '../model-option.ts';
import { promptOption } from '../prompt-option.ts';
import { linksOption, pictureOption } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { filmedForm, filmMenu, filmOpener } from './film.ts';
import { videoKinds } from './kinds.ts';
import { endpoints, filmOrder, objectionTo, videoSpecs } from './request.ts';
import { text } from './text.ts';
import { videoView } from './view.ts';

const LONGEST_WORDS = 500;
const LONGEST_EXTRA = 3_000;
/** What every gateway takes for one. */
const LARGEST_SEED = 4_294_967_295;

const short = { type: 'text', most: 30 } as const;

const videoCommand = command({
  name: 'video',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    model: modelOption,
    image: pictureOption,
    image2: pictureOption,
    image3: pictureOption,
    image4: pictureOption,
    image5: pictureOption,
    image6: pictureOption,
    image7: pictureOption,
    links: linksOption,
    size: short,
    duration: short,
    mode: { type: 'text', most: 100 },
    negative: { type: 'text', most: LONGEST_WORDS },
    seed: { type: 'number', whole: true, least: 0, most: LARGEST_SEED },
    camera: { type: 'text', most: LONGEST_WORDS },
    reference_video: linksOption,
    reference_audio: linksOption,
    face_check: { type: 'switch' },
    extra: { type: 'text', most: LONGEST_EXTRA },
    endpoint: { type: 'text', choices: endpoints },
    private: { type: 'switch' },
  },
  guards: [(_place, values) => objectionTo(values), mayPostFiles],
  suggest: (_option, typed, ask: Ask<Services>) => suggestedModels('video', typed, ask),
  async run({ model, ...values }, { services, origin }: Ask<Services>) {
    const { fields, refuseTooLong } = services.films;
    const order = filmOrder(values, await chosenModel('video', model, services), fields);
    await refuseTooLong(order.request, origin.requesterId);
    await services.tasks.orders.submit({ ...origin, ...order });
    return 'shown as it goes';
  },
});

export const video: Feature<typeof text> = {
  command: videoCommand,
  text,
  menus: [filmMenu],
  openers: [filmOpener],
  forms: [filmedForm],
  specs: videoSpecs,
  kinds: ({ gateway }) => videoKinds(gateway),
  views: { video: videoView, 'second-video': videoView, 'image-to-video': videoView },
};
