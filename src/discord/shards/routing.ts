import { type APIInteraction, ApplicationIntegrationType, InteractionType } from 'discord-api-types/v10';
import { PAUSE_PARTITION } from '../../services/money/whole-bot.ts';
import { bucketOf, homeOf as ownerOf } from '../../services/tasks/homes.ts';
import { bucketIn, isTaskId } from '../../services/tasks/task-id.ts';
import { customIds, originalFormId, readCustomId } from '../custom-ids.ts';

/** Verbs of buttons that place an order. The interaction belongs to the server or member that pays for it. */
const ORDERING_VERBS: ReadonlySet<string> = new Set(
  Object.values(customIds).flatMap(({ name, createsOrder }) => (createsOrder ? [name] : [])),
);

/** The bucket whose partition answers an interaction: that of the member, task or preset whose data it changes, else of the server that the operator names, where it is used, or of the member. */
export function routingBucketOf(interaction: APIInteraction): number {
  const { guild_id: guildId, member, user, authorizing_integration_owners: installOwners } = interaction;
  const memberId = user?.id ?? member?.user.id ?? '';
  const isDirect = installOwners?.[ApplicationIntegrationType.GuildInstall] === undefined;
  if (isAboutMember(interaction)) return bucketOf(memberId);
  const changed = changedTask(interaction) ?? changedPreset(interaction);
  if (changed !== undefined) return isUnambiguousTaskId(changed) ? bucketIn(changed) : bucketOf(memberId);
  const namedId = namedServer(interaction);
  if (namedId === ALL_SERVERS) return PAUSE_PARTITION;
  return bucketOf(namedId ?? ownerOf(guildId, { memberId, isDirect }));
}

/** The id of the pressed button, of the menu or of the form. */
const usedIdIn = ({ type, data }: APIInteraction) =>
  type === InteractionType.MessageComponent || type === InteractionType.ModalSubmit
    ? readCustomId(originalFormId(data.custom_id))
    : undefined;

function changedTask(interaction: APIInteraction): string | undefined {
  const pressedId = usedIdIn(interaction);
  const selectedValues = interaction.data && 'values' in interaction.data ? interaction.data.values : [];
  // The page of a task is shown by the partition that has the task; the menu's own id only says where its list begins.
  if (pressedId?.verb === customIds.task.name) return selectedValues.find(isUnambiguousTaskId);
  // In a menu that replaces too many buttons, the chosen value is the button's own id.
  const buttons = [pressedId, ...selectedValues.map(readCustomId)].filter((one) => one !== undefined);
  if (buttons.some(({ verb }) => ORDERING_VERBS.has(verb))) return undefined;
  return buttons.flatMap(({ args }) => args).find(isUnambiguousTaskId);
}

const SETTINGS_VERBS: ReadonlySet<string> = new Set([
  customIds.preferences.name,
  customIds.preferencesFilled.name,
  customIds.preferencesReset.name,
  customIds.preferencesResetAnswer.name,
]);

/** Whether the interaction shows or changes a member's own settings, which are in the partition of the member wherever they are used. */
function isAboutMember(interaction: APIInteraction): boolean {
  if (interaction.type === InteractionType.ApplicationCommand) return interaction.data.name === 'settings';
  const id = usedIdIn(interaction);
  if (id?.verb === customIds.presetCopy.name) return true;
  return id !== undefined && SETTINGS_VERBS.has(id.verb) && id.args[0] === 'member';
}

/** The preset that a command changes: its id, or what a member typed instead, by which only their own can be found. */
function changedPreset(interaction: APIInteraction): string | undefined {
  if (interaction.type !== InteractionType.ApplicationCommand || interaction.data.name !== 'preset') return undefined;
  const [subcommand] = 'options' in interaction.data ? (interaction.data.options ?? []) : [];
  if (!subcommand || !('options' in subcommand)) return undefined;
  const named = subcommand.options?.find(({ name }) => name === 'preset');
  const wanted = named && 'value' in named ? String(named.value) : '';
  return ['save', 'edit', 'delete'].includes(subcommand.name) ? wanted : undefined;
}

/** Returns the server that the operator names in a command about another server, or that a button resumes. */
function namedServer(interaction: APIInteraction): string | undefined {
  const { verb, args: [server] = [] } = usedIdIn(interaction) ?? {};
  if (verb === customIds.resume.name) return server;
  if (interaction.type !== InteractionType.ApplicationCommand || !('options' in interaction.data)) return undefined;
  const options = interaction.data.options ?? [];
  const innerOptions = options.flatMap((option) => ('options' in option ? (option.options ?? []) : [option]));
  const serverOption = innerOptions.find(({ name }) => name === 'server');
  if (!serverOption || !('value' in serverOption) || typeof serverOption.value !== 'string') return undefined;
  const text = serverOption.value.trim().toLowerCase();
  return text === ALL_SERVERS || SERVER_ID.test(text) ? text : undefined;
}

const ALL_SERVERS = 'all';
const SERVER_ID = /^\d{17,20}$/;

/** Discord ids from before 2016 have the same length and consist of digits; the timestamp in a task's id will contain a letter for years to come. */
const isUnambiguousTaskId = (argument: string): boolean => isTaskId(argument) && /\D/.test(argument);
