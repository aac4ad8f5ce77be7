import { type APIInteraction, InteractionType } from 'discord.js';
import { bucketOf } from '../../services/tasks/homes.ts';
import { bucketIn, isTaskId } from '../../services/tasks/task-id.ts';
import { customIds, readCustomId } from '../custom-ids.ts';

/**
 * The bucket whose partition answers an interaction: that of the task that a button or form names, else that of the server, or of the member where there
 * is none.
 */
export function homeOf(interaction: APIInteraction): number {
  const named = namedTask(interaction);
  if (named !== undefined) return bucketIn(named);
  const { guild_id: guildId, member, user } = interaction;
  return bucketOf(guildId ?? user?.id ?? member?.user.id ?? '');
}

function namedTask(interaction: APIInteraction): string | undefined {
  if (interaction.type !== InteractionType.MessageComponent && interaction.type !== InteractionType.ModalSubmit)
    return undefined;
  const pressed = readCustomId(interaction.data.custom_id);
  const chosen = 'values' in interaction.data ? interaction.data.values : [];
  // The page of a task is shown by the partition that has it; the menu's own id only names where its list begins.
  if (pressed?.verb === customIds.task.name) return chosen.find(namesTask);
  // In a menu that replaces too many buttons, the chosen value is the button's own id.
  const args = [...(pressed?.args ?? []), ...chosen.flatMap((value) => readCustomId(value)?.args ?? [])];
  return args.find(namesTask);
}

/** Ids of Discord from before 2016 are as long, and consist of digits; a task's time does not for years to come. */
const namesTask = (argument: string): boolean => isTaskId(argument) && /\D/.test(argument);
