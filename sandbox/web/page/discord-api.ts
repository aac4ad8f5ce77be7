/** The numeric constants of Discord's API that the page uses; importing the enums would bundle their whole package. */
export const Flag = { ephemeral: 64, loading: 128, voice: 8_192, componentsV2: 32_768 } as const;

export const MessageKind = { threadCreated: 18, threadStarter: 21 } as const;

export const ComponentKind = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;

export const OptionType = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

export const CommandType = { slash: 1, user: 2, message: 3 } as const;

/** A raw component; its type determines its fields. */
export interface Component {
  readonly type: number;
  readonly id?: number;
  readonly [field: string]: unknown;
}

export interface MediaItem {
  readonly url: string;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly content_type?: string | null;
}

export interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly emoji?: { readonly name?: string | null };
  readonly default?: boolean;
}

/** What a file picker offers by `file_types`: groups such as `image`, and endings such as `.pdf`. */
export const acceptOf = (types: readonly string[] | undefined): string | undefined =>
  types?.map((type) => (type.startsWith('.') ? type : `${type}/*`)).join(',');
