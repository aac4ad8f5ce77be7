import type { ChatInputCommandInteraction } from 'discord.js';

/** Text that a member types, or picks from choices or suggestions. */
export interface TextOption {
  type: 'text';
  required?: boolean;
  most?: number;
  /** Their names are sentences of the locale. */
  choices?: readonly string[];
  suggests?: boolean;
}

/** Yes or no. */
export interface SwitchOption {
  type: 'switch';
}

export type Option = TextOption | SwitchOption;
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends SwitchOption
  ? boolean | undefined
  : O extends { required: true }
    ? string
    : string | undefined;
export type Values<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

/** What the member has filled in; what was left out is undefined. */
export function valuesOf<O extends Options>(options: O, { options: given }: ChatInputCommandInteraction): Values<O> {
  const read = ([name, option]: [string, Option]) => {
    const value = option.type === 'switch' ? given.getBoolean(name) : given.getString(name);
    return [name, value ?? undefined] as const;
  };
  return Object.fromEntries(Object.entries(options).map(read)) as Values<O>;
}
