import type { ChatInputCommandInteraction, Attachment as DiscordAttachment } from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import { roleIdsOf } from './place.ts';

interface OptionFacts {
  required?: boolean;
}

export interface TextOption extends OptionFacts {
  type: 'text';
  max?: number;
  /** The labels of the choices are in the feature's text. */
  choices?: readonly string[];
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
}

/** A user whom the member chose, with their roles in this server. */
export interface ChosenUser {
  id: string;
  roleIds: readonly string[];
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

/** Omitted options are undefined. */
export function readOptions<O extends Options>(options: O, interaction: ChatInputCommandInteraction): Values<O>;
export function readOptions(options: Options, { options: resolver }: ChatInputCommandInteraction): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, readOption(name, option, resolver)]),
  );
}

function readOption(
  name: string,
  option: Option,
  resolver: ChatInputCommandInteraction['options'],
): ValueByType[Option['type']] | undefined {
  switch (option.type) {
    case 'text':
      return validateChoice(resolver.getString(name) ?? undefined, option);
    case 'switch':
      return resolver.getBoolean(name) ?? undefined;
    case 'number':
      return (option.isInteger ? resolver.getInteger(name) : resolver.getNumber(name)) ?? undefined;
    case 'attachment': {
      const file = resolver.getAttachment(name);
      return file ? attachmentOf(file) : undefined;
    }
    case 'user': {
      const user = resolver.getUser(name);
      return user ? { id: user.id, roleIds: roleIdsOf(resolver.getMember(name)) } : undefined;
    }
    case 'role':
      return resolver.getRole(name)?.id;
    case 'channel':
      return resolver.getChannel(name)?.id;
  }
}

/** An older registration may have offered other choices. */
function validateChoice(text: string | undefined, { choices }: TextOption): string | undefined {
  if (text !== undefined && choices && !choices.includes(text)) throw new Refusal('refusals.unknownCommand');
  return text;
}

export function attachmentOf({ id, name, url: address, size, contentType }: DiscordAttachment): Attachment {
  return { id, name, address, size, mediaType: contentType ?? undefined };
}
