import { type APIInteraction, ApplicationIntegrationType, InteractionType } from 'discord.js';
import { HOME_OF_PAUSE } from '../../services/spending/whole-bot.ts';
import { bucketOf, homeOf as ownerOf } from '../../services/tasks/homes.ts';
import { bucketIn, isTaskId } from '../../services/tasks/task-id.ts';
import { customIds, readCustomId } from '../custom-ids.ts';

/** They belong to the server or member that pays for the order. */
const ORDERS: ReadonlySet<string> = new Set(
  Object.values(customIds).flatMap(({ name, orders }) => (orders ? [name] : [])),
);

/**
 * The bucket whose partition answers an interaction: that of the task that a button or form changes, of the server that the operator names, or else
 * of the server where it is used, or of the member.
 */
export function bucketFor(interaction: APIInteraction): number {
  const task = changedTask(interaction);
  if (task !== undefined) return bucketIn(task);
  const { guild_id: guildId, member, user, authorizing_integration_owners: installedBy } = interaction;
  const memberId = user?.id ?? member?.user.id ?? '';
  const isDirect = installedBy?.[ApplicationIntegrationType.GuildInstall] === undefined;
  const named = namedServer(interaction);
  if (named === ALL_SERVERS) return HOME_OF_PAUSE;
  return bucketOf(named ?? ownerOf(guildId, { memberId, isDirect }));
}

function changedTask(interaction: APIInteraction): string | undefined {
  if (interaction.type !== InteractionType.MessageComponent && interaction.type !== InteractionType.ModalSubmit)
    return undefined;
  const pressed = readCustomId(interaction.data.custom_id);
  const chosen = 'values' in interaction.data ? interaction.data.values : [];
  // The page of a task is shown by the partition that has the task; the menu's own id only says where its list begins.
  if (pressed?.verb === customIds.task.name) return chosen.find(namesTask);
  // In a menu that replaces too many buttons, the chosen value is the button's own id.
  const buttons = [pressed, ...chosen.map(readCustomId)].filter((one) => one !== undefined);
  if (buttons.some(({ verb }) => ORDERS.has(verb))) return undefined;
  return buttons.flatMap(({ args }) => args).find(namesTask);
}

/** The operator's commands may be about another server. */
function namedServer(interaction: APIInteraction): string | undefined {
  if (interaction.type !== InteractionType.ApplicationCommand || !('options' in interaction.data)) return undefined;
  const options = interaction.data.options ?? [];
  const inner = options.flatMap((option) => ('options' in option ? (option.options ?? []) : [option]));
  const named = inner.find(({ name }) => name === 'server');
  if (!named || !('value' in named) || typeof named.value !== 'string') return undefined;
  const text = named.value.trim().toLowerCase();
  return text === ALL_SERVERS || SERVER_ID.test(text) ? text : undefined;
}

const ALL_SERVERS = 'all';
const SERVER_ID = /^\d{17,20}$/;

/** Discord ids from before 2016 have the same length and consist of digits; the timestamp in a task's id will contain a letter for years to come. */
const namesTask = (argument: string): boolean => isTaskId(argument) && /\D/.test(argument);
