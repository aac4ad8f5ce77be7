import {
  type APIApplicationCommandInteractionDataOption,
  type APIAttachment,
  type APIChatInputApplicationCommandInteractionData,
  ApplicationCommandOptionType,
  AttachmentFlags,
  type InteractionType,
} from 'discord-api-types/v10';
import { Refusal } from '../lib/refusal.ts';

interface OptionFacts {
  required?: boolean;
}

export interface TextOption extends OptionFacts {
  type: 'text';
  max?: number;
  /** Their labels are among the strings of the command. */
  choices?: readonly string[];
  /** Where the labels are instead. */
  labelPath?: readonly string[];
  hasSuggestions?: boolean;
}

export interface NumberOption extends OptionFacts {
  type: 'number';
  isInteger?: boolean;
  min?: number;
  max?: number;
}

interface AttachmentOption extends OptionFacts {
  type: 'attachment';
  /** Limits the file picker by file name only, and not in every client, so the file is checked anyway. */
  accept?: readonly ('image' | 'video' | 'audio')[];
}

interface PlainOption extends OptionFacts {
  type: 'switch' | 'user' | 'role' | 'channel';
}

export type Option = TextOption | PlainOption | NumberOption | AttachmentOption;
export type Options = Readonly<Record<string, Option>>;

/** A file as the payload describes it; none of this has been verified yet. */
export interface Attachment {
  id: string;
  name: string;
  /** A signed URL, valid for a day at most. */
  address: string;
  /** In bytes. */
  size: number;
  mediaType: string | undefined;
  /** Whether its member hid it behind a spoiler. */
  isSpoiler?: boolean;
}

/** A user whom the member chose, with their roles in this server. */
export interface ChosenUser {
  id: string;
  roleIds: readonly string[];
  isBot: boolean;
}

interface ValueByType {
  text: string;
  switch: boolean;
  number: number;
  attachment: Attachment;
  user: ChosenUser;
  /** The id of a role or channel. */
  role: string;
  channel: string;
}

type GivenValue<O extends Option> = O extends { choices: readonly (infer Choice)[] } ? Choice : ValueByType[O['type']];
type ValueOf<O extends Option> = O extends { required: true } ? GivenValue<O> : GivenValue<O> | undefined;
export type Values<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

type EnteredOption = APIApplicationCommandInteractionDataOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;

type CommandData = Pick<APIChatInputApplicationCommandInteractionData, 'name' | 'resolved'> & {
  options?: readonly EnteredOption[];
};

/** The command with its subcommand, such as `music follow`. */
export function fullName({ name, options: [first] = [] }: CommandData): string {
  return first?.type === ApplicationCommandOptionType.Subcommand ? `${name} ${first.name}` : name;
}

export function givenOptions({ options = [] }: CommandData) {
  const [first] = options;
  const given = first?.type === ApplicationCommandOptionType.Subcommand ? (first.options ?? []) : options;
  return given.filter((option) => 'value' in option);
}

export type EnteredValue = string | number | boolean;
export type EnteredValues = Readonly<Record<string, EnteredValue>>;

/** What was entered, by the names of options; a file by its id in `resolved`. */
export interface Entered {
  values: EnteredValues;
  resolved?: CommandData['resolved'];
}

export const enteredIn = (data: CommandData): Entered => ({
  values: Object.fromEntries(givenOptions(data).map(({ name, value }) => [name, value])),
  resolved: data.resolved,
});

/** Omitted options are undefined. */
export function readOptions<O extends Options>(options: O, entered: Entered): Values<O>;
export function readOptions(options: Options, { values, resolved }: Entered): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      readOption(option, Object.hasOwn(values, name) ? values[name] : undefined, resolved),
    ]),
  );
}

function readOption(
  option: Option,
  value: EnteredValue | undefined,
  resolved: CommandData['resolved'],
): ValueByType[Option['type']] | undefined {
  if (option.type === 'switch') return typeof value === 'boolean' ? value : undefined;
  if (option.type === 'number') return typeof value === 'number' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  switch (option.type) {
    case 'text':
      // An older registration may have offered other choices.
      if (option.choices && !option.choices.includes(value)) throw new Refusal('refusals.unknownCommand');
      return value;
    case 'attachment': {
      const file = resolved?.attachments?.[value];
      return file && attachmentOf(file);
    }
    case 'user':
      return {
        id: value,
        roleIds: resolved?.members?.[value]?.roles ?? [],
        isBot: resolved?.users?.[value]?.bot === true,
      };
    case 'role':
    case 'channel':
      return value;
  }
}

export function attachmentOf({ id, filename, url: address, size, content_type, flags }: APIAttachment): Attachment {
  const isSpoiler = ((flags ?? 0) & AttachmentFlags.IsSpoiler) !== 0;
  return { id, name: filename, address, size, mediaType: content_type, ...(isSpoiler && { isSpoiler }) };
}
