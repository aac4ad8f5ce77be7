import { customIds, type ProposalUse } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { languageName } from '../../lib/languages.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { type NewOrder, pressedTask, submitOrder } from '../../messages/pressed-task.ts';
import { type PromptHelp, proposalsOf } from '../../services/conversations/prompt-help.ts';
import { readChoices } from '../choices.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { imageRequest } from '../image/request.ts';
import { imagineRequest, withSettings } from '../imagine/request.ts';
import { chooseModel, emptyPromptRefusal, promptOption, usualModel, withSuffix } from '../options.ts';
import { videoOrder, videoRequest } from '../video/request.ts';

const MAX_LANGUAGE_LENGTH = 40;

/** A question to the text model of `/ask`, with the bot's instructions. */
async function submitHelp(help: PromptHelp, given: { prompt: string; language?: string }, context: Context) {
  const choices = await readChoices(context);
  const model = await chooseModel('text', usualModel('text', {}, choices, context), context.services);
  const prompt = given.prompt.trim();
  return submitOrder({ kind: 'ask', request: { ...given, prompt, help, model, ...choices.fields } }, context);
}

const helpCommand = (name: Exclude<PromptHelp, 'translate'>) =>
  command({
    name,
    onlyOrders: true,
    isPrivate: true,
    options: { prompt: promptOption },
    parse: (values) => emptyPromptRefusal(values) ?? values,
    run: (values, context) => submitHelp(name, values, context),
  });

const translate = command({
  name: 'translate',
  onlyOrders: true,
  isPrivate: true,
  options: { prompt: promptOption, to: { type: 'text', max: MAX_LANGUAGE_LENGTH } },
  parse: (values) => emptyPromptRefusal(values) ?? values,
  run: ({ prompt, to }, context) =>
    submitHelp('translate', { prompt, language: to?.trim() || languageName('en', context.say.language) }, context),
});

/** Submits a proposal as if the member had typed it into the command. */
const useButton = on(customIds.useProposal, {
  reply: 'new-public',
  likeCommand: ({ use }) => use,
  onlyOrders: true,
  async run({ taskId, index, use }, context) {
    const parent = await pressedTask(taskId, context);
    const prompt = proposalsOf(parent)[index];
    if (prompt === undefined) throw new Refusal('refusals.unknownButton');
    throwIfRefusal(requirePostPermissions(context.facts, { private: context.origin.route.isPrivate }));
    return submitOrder({ ...(await orderFor(use, prompt, context)), parent }, context);
  },
});

async function orderFor(use: ProposalUse, prompt: string, context: Context): Promise<NewOrder> {
  const choices = await readChoices(context);
  if (use === 'imagine')
    return { kind: 'imagine', request: withSettings(throwIfRefusal(imagineRequest({ prompt })), choices) };
  const { services } = context;
  const model = await chooseModel(use, usualModel(use, {}, choices, context), services);
  if (use === 'image') {
    const request = withSuffix(throwIfRefusal(imageRequest({ prompt })), choices);
    return { kind: 'image', request: { ...request, model } };
  }
  const draft = throwIfRefusal(videoRequest({ prompt }));
  const { fields } = services.settings.gateway;
  return videoOrder(draft, { model, fields, preferred: withSuffix({ prompt: draft.request.prompt }, choices) });
}

/** Helps with prompts, by the text model. Nothing is submitted but its answer, until a member uses a proposal. */
export const prompt: Feature = {
  command: { name: 'prompt', subcommands: [helpCommand('improve'), translate, helpCommand('explain')] },
  orders: ['ask'],
  handlers: [useButton],
};
