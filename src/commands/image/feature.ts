import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Feature } from '../feature.ts';
import { chosenModel, modelOption, suggestedModels } from '../model-option.ts';
import type { Services } from '../services.ts';
import { imageKind } from './kind.ts';
import { largerButton } from './larger.ts';
import { referenceMenu, referenceOpener, referredForm } from './reference.ts';
import { imageRequest, objectionTo } from './request.ts';
import { image as imageView } from './view.ts';

/** As much as Discord lets a member type into an option. */
const LONGEST_PROMPT = 6_000;

/** Seven signed addresses of Discord have some 2,100 letters. */
const LONGEST_LINKS = 3_000;

const picture = { type: 'attachment', accept: ['image'] } as const;

const imageCommand = command({
  name: 'image',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: { type: 'text', required: true, most: LONGEST_PROMPT },
    model: modelOption,
    image: picture,
    image2: picture,
    image3: picture,
    image4: picture,
    links: { type: 'text', most: LONGEST_LINKS },
    private: { type: 'switch' },
  },
  guards: [(_place, values) => objectionTo(values), mayPostFiles],
  suggest: (_option, typed, ask: Ask<Services>) => suggestedModels('image', typed, ask),
  async run({ model, ...values }, { services, origin }: Ask<Services>) {
    const chosen = await chosenModel('image', model, services);
    await services.tasks.submit({ ...origin, kind: 'image', request: imageRequest(values, chosen) });
    return 'shown as it goes';
  },
});

export const image: Feature = {
  command: imageCommand,
  menus: [referenceMenu],
  buttons: [largerButton],
  openers: [referenceOpener],
  forms: [referredForm],
  kinds: ({ gateway }) => [imageKind(gateway.imageJobs)],
  views: { image: imageView },
};
