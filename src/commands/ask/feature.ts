import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import type { Origin } from '../../discord/place.ts';
import { askSpec, efforts, formats } from '../../services/asks/request.ts';
import type { Feature } from '../feature.ts';
import { chosenModel, modelOption, suggestedModels } from '../model-option.ts';
import { emptyPrompt, promptOption } from '../prompt-option.ts';
import { pictureOption, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { detailsButton, forgetButton, goOnFilled, goOnOpener, stopButton } from './buttons.ts';
import { allowButton, declineButton } from './calls.ts';
import { askedFor, type Given } from './request.ts';
import { text } from './text.ts';

const LONGEST_INSTRUCTIONS = 2_000;

const askCommand = command({
  name: 'ask',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    model: modelOption,
    image: pictureOption,
    file: { type: 'attachment' },
    instructions: { type: 'text', most: LONGEST_INSTRUCTIONS },
    effort: { type: 'text', choices: efforts },
    format: { type: 'text', choices: formats },
    web: { type: 'switch' },
    new: { type: 'switch' },
    private: { type: 'switch' },
  },
  guards: [(_place, values) => emptyPrompt(values), (_place, { image }) => unfitReference({ image }), mayPostFiles],
  suggest: (_option, typed, asked: Ask<Services>) => suggestedModels('text', typed, asked),
  async run({ new: isNew, private: _, ...given }, { services, origin }: Ask<Services>) {
    await asking(given, { services, origin, isNew: isNew ?? false });
    return 'shown as it goes';
  },
});

/** A question of a member, which goes on from their last one in the same place unless it is to be a new beginning. */
async function asking(
  given: Given,
  { services, origin, isNew }: { services: Services; origin: Origin; isNew: boolean },
) {
  const { requesterId: memberId, channelId, route } = origin;
  const where = { memberId, channelId, isPrivate: route.isPrivate };
  const before = isNew ? undefined : await services.asks.newestOf(where);
  const model = await chosenModel('text', given.model ?? before?.model, services);
  await services.tasks.orders.submit({
    ...origin,
    kind: 'ask',
    request: askedFor(given, model, before, origin),
    parent: before,
  });
}

export const ask: Feature<typeof text> = {
  command: askCommand,
  specs: { ask: askSpec },
  text,
  buttons: [stopButton, forgetButton, detailsButton, allowButton, declineButton],
  openers: [goOnOpener],
  forms: [goOnFilled],
};
