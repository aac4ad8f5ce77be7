import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { askSpec, efforts, formats } from '../../services/asks/request.ts';
import type { Feature } from '../feature.ts';
import { emptyPrompt, modelOption, pictureOption, promptOption, suggestedModels, unfitReference } from '../options.ts';
import type { Services } from '../services.ts';
import { detailsButton, forgetButton, goOnFilled, goOnOpener, stopButton } from './buttons.ts';
import { allowButton, declineButton } from './calls.ts';
import { submitQuestion } from './questions.ts';
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
  parse: (values) => emptyPrompt(values) ?? unfitReference({ image: values.image }) ?? values,
  guards: [mayPostFiles],
  suggest: (_option, typed, asked: Ask<Services>) => suggestedModels('text', typed, asked),
  async run({ new: isNew, private: _, ...question }, ask: Ask<Services>) {
    // A question continues from the member's last one in the same place, unless it is to start a new conversation.
    const { requesterId: memberId, channelId, route } = ask.origin;
    const where = { memberId, channelId, isPrivate: route.isPrivate };
    const before = isNew ? undefined : await ask.services.asks.newestOf(where);
    return submitQuestion(question, before, ask);
  },
});

export const ask: Feature<typeof text> = {
  command: askCommand,
  specs: { ask: askSpec },
  text,
  buttons: [stopButton, forgetButton, detailsButton, allowButton, declineButton],
  openers: [goOnOpener],
  forms: [goOnFilled],
};
