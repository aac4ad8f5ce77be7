import type { Attachment } from '../../discord/options.ts';
import { Refusal } from '../../lib/refusal.ts';
import { MAX_SCHEMA_BYTES, parseSchema } from '../../services/conversations/answer-schemas.ts';
import { askSpec, efforts, formats, MAX_EFFORT_LENGTH } from '../../services/conversations/ask-request.ts';
import { command, type Feature } from '../feature.ts';
import {
  emptyPromptRefusal,
  imageOption,
  MAX_OPTION_LENGTH,
  modelOption,
  promptOption,
  referenceRefusal,
  suggestionsFrom,
  suggestModels,
} from '../options.ts';
import { presetsFor } from '../presets.ts';
import { allowToolCall, askButtons, declineToolCall } from './buttons.ts';
import { messageMenu, messageMenuForm } from './message-menu.ts';
import { submitQuestion } from './questions.ts';

const MAX_INSTRUCTIONS_LENGTH = 2_000;

interface SchemaOptions {
  schema: Attachment | undefined;
  schema_text: string | undefined;
}

/** Checks a schema for problems that are visible in the payload alone. */
function schemaRefusal({ schema, schema_text: text }: SchemaOptions): Refusal | undefined {
  if (schema && text !== undefined) return new Refusal('refusals.schemaTwice');
  if (schema && schema.size > MAX_SCHEMA_BYTES) return new Refusal('refusals.schemaTooLarge');
  const parsed = text === undefined ? undefined : parseSchema(text);
  return parsed instanceof Refusal ? parsed : undefined;
}

export const ask: Feature = {
  command: command({
    name: 'ask',
    onlyOrders: true,
    presets: presetsFor('ask'),
    options: {
      prompt: promptOption,
      model: modelOption,
      image: imageOption,
      file: { type: 'attachment' },
      instructions: { type: 'text', max: MAX_INSTRUCTIONS_LENGTH },
      effort: { type: 'text', hasSuggestions: true, max: MAX_EFFORT_LENGTH },
      format: { type: 'text', choices: formats },
      schema: { type: 'attachment' },
      schema_text: { type: 'text', max: MAX_OPTION_LENGTH },
      web: { type: 'switch' },
      new: { type: 'switch' },
    },
    parse: (values) =>
      emptyPromptRefusal(values) ?? referenceRefusal({ image: values.image }) ?? schemaRefusal(values) ?? values,
    async suggest(option, input, context) {
      return option === 'effort' ? suggestionsFrom(efforts, input) : suggestModels('text', input, context);
    },
    async run({ new: isNew, schema, schema_text: schemaText, ...question }, context) {
      // A question continues from the member's last one in the same place, unless they chose to start a new conversation.
      const { requesterId: memberId, channelId, route } = context.origin;
      const scope = { memberId, channelId, isPrivate: route.isPrivate };
      const previousAnswer = isNew ? undefined : await context.services.conversations.asks.newestAnswer(scope);
      const schemaInput = schema ?? schemaText;
      const checkedSchema =
        schemaInput === undefined
          ? undefined
          : await context.services.conversations.schemas.read(schemaInput, memberId);
      return submitQuestion({ ...question, schema: checkedSchema }, previousAnswer, context);
    },
  }),
  specs: { ask: askSpec },
  menus: [messageMenu],
  handlers: [...askButtons, messageMenuForm, allowToolCall, declineToolCall],
};
