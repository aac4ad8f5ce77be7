import { ApplicationCommandType, ComponentType, InteractionType } from 'discord-api-types/v10';
import { isRecord } from '../lib/exact-json.ts';
import { customIds, originalFormId, readCustomId } from './custom-ids.ts';
import { readForm } from './form.ts';
import type { Interaction } from './interaction-facts.ts';
import { escapeText } from './markdown.ts';
import { fullName, givenOptions } from './options.ts';

/** The options that hold what is to be made. */
const PROMPT_OPTIONS: ReadonlySet<string> = new Set(['prompt', 'about', 'lyrics', 'ids']);
const MAX_LENGTH = 300;
/** After a failure, a form may not open again with its values, so its member can copy the prompt from here. */
const MAX_PROMPT_LENGTH = 1_500;

/** What a member asked for, in their own words, for a reply that has lost the message it refers to; undefined if nothing says it. */
export function requestName({ type, data, message }: Interaction): string | undefined {
  switch (type) {
    case InteractionType.ApplicationCommand: {
      if (data.type !== ApplicationCommandType.ChatInput) return escapeText(data.name, MAX_LENGTH);
      const prompt = givenOptions(data).find(({ name }) => PROMPT_OPTIONS.has(name))?.value ?? '';
      return escapeText(`/${fullName(data)} ${prompt}`.trim(), MAX_LENGTH);
    }
    case InteractionType.MessageComponent: {
      if (data.component_type !== ComponentType.Button) return undefined;
      return escapeText(labelIn(message?.components, data.custom_id), MAX_LENGTH) || undefined;
    }
    case InteractionType.ModalSubmit:
      // A list of rules is no request.
      if (readCustomId(originalFormId(data.custom_id))?.verb === customIds.rulesFilled.name) return undefined;
      return escapeText(readForm(data).fields.words ?? '', MAX_PROMPT_LENGTH) || undefined;
    default:
      return undefined;
  }
}

function labelIn(components: unknown, id: string): string {
  if (Array.isArray(components)) return components.map((one) => labelIn(one, id)).find((label) => label !== '') ?? '';
  if (!isRecord(components)) return '';
  return components.custom_id === id ? String(components.label ?? '') : labelIn(components.components, id);
}
