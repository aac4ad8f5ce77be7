import type { BaseInteraction, ButtonInteraction } from 'discord.js';
import { customIds, originalFormId, readCustomId } from './custom-ids.ts';
import { fullName } from './interaction-reader.ts';
import { escapeText } from './markdown.ts';

const MAX_LENGTH = 300;
/** After a failure, a form may not open again with its values, so its member can copy the prompt from here. */
const MAX_PROMPT_LENGTH = 1_500;

/** What a member asked for, in their own words, for a reply that has lost the message it refers to; undefined if nothing says it. */
export function requestName(interaction: BaseInteraction): string | undefined {
  if (interaction.isChatInputCommand()) {
    const prompt = interaction.options.getString('prompt') ?? '';
    return escapeText(`/${fullName(interaction)} ${prompt}`.trim(), MAX_LENGTH);
  }
  if (interaction.isContextMenuCommand()) return escapeText(interaction.commandName, MAX_LENGTH);
  if (interaction.isButton()) return labelOf(interaction);
  // A list of rules is no request.
  if (!interaction.isModalSubmit() || isRulesForm(interaction.customId)) return undefined;
  const words = interaction.fields.fields.get('words');
  return words && 'value' in words ? escapeText(String(words.value), MAX_PROMPT_LENGTH) || undefined : undefined;
}

const isRulesForm = (id: string): boolean => readCustomId(originalFormId(id))?.verb === customIds.rulesFilled.name;

function labelOf({ component }: ButtonInteraction): string | undefined {
  const label = 'label' in component ? (component.label ?? '') : '';
  return escapeText(label, MAX_LENGTH) || undefined;
}
