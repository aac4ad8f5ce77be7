/** A message as plain data. Only the adapter knows Discord's limits and formats. */
export interface MessagePlan {
  content?: string;
  /** Content that is too long is truncated at a word boundary; with this, all of it is also attached as a file. */
  overflow?: 'file';
  files?: readonly FilePlan[];
  /** Buttons are arranged in rows; a select menu has a row of its own. */
  controls?: readonly Control[];
  /** A page of Components V2 instead of content and files. */
  page?: PagePlan;
  /** Only these members are notified, even if the text mentions others. */
  notifies?: readonly string[];
  /** The id of the message that this message replies to, in the same channel. */
  repliesTo?: string;
  /** If set, the only file of the message is a voice message, and the message contains nothing else. `waveform`: one byte per column, in base64. */
  voice?: { seconds: number; waveform: string };
}

/** A plan whose files may hold memory. */
export interface PreparedMessage {
  plan: MessagePlan;
  /** Sent if Discord rejects the plan, mostly because of its files. */
  fallback?: MessagePlan;
  /** Frees the memory of the files. */
  release(): void;
}

/** A file in memory, or one on disk that is sent from there. */
export type FilePlan = FileLabel &
  ({ bytes: Buffer; path?: undefined } | { bytes?: undefined; path: string; size: number; mime: string });

export interface FileLabel {
  name: string;
  alt?: string;
  spoiler?: boolean;
}

export interface PagePlan {
  title: string;
  blocks: readonly string[];
  footer?: string;
}

export type Control = ButtonPlan | LinkPlan | SelectPlan;

export interface ButtonPlan {
  type: 'button';
  id: string;
  label: string;
  emoji?: string;
  style?: 'plain' | 'primary' | 'good' | 'danger';
  disabled?: boolean;
  /** Starts a new row, even if the previous row has room. */
  startsRow?: boolean;
}

export const buttonPlan = (label: string, id: string, options: Partial<ButtonPlan> = {}): ButtonPlan => {
  return { type: 'button', id, label, ...options };
};

export interface LinkPlan {
  type: 'link';
  address: string;
  label: string;
}

export interface SelectPlan {
  type: 'select';
  id: string;
  placeholder: string;
  options: readonly { value: string; label: string; description?: string }[];
}

export interface FormPlan {
  id: string;
  title: string;
  fields: readonly FieldPlan[];
}

export type FieldPlan = TextFieldPlan | ChoiceFieldPlan | ListFieldPlan | NotePlan | FileFieldPlan;

interface FieldFacts {
  name: string;
  label: string;
  hint?: string;
  required?: boolean;
}

interface FileFieldPlan extends FieldFacts {
  type: 'file';
  /** Limits the file picker by file name only, so the files are checked anyway. */
  accept?: readonly ('image' | 'video' | 'audio')[];
  /** How many files can be added, ten at most; one if unset. */
  max?: number;
}

/** Text between the fields, which is its label. */
export interface NotePlan extends FieldFacts {
  type: 'note';
}

interface TextFieldPlan extends FieldFacts {
  type: 'text';
  value?: string;
  isLong?: boolean;
  /** The length limit of the text, in characters. */
  max?: number;
}

/** Roles or channels of the server, by their ids. */
interface ListFieldPlan extends FieldFacts {
  type: 'roles' | 'channels';
  max: number;
  values?: readonly string[];
}

interface ChoiceFieldPlan extends FieldFacts {
  type: 'choice';
  options: readonly { value: string; label: string; description?: string; isDefault?: boolean }[];
  /** Shows two to ten options side by side, of which one is chosen. */
  isRadio?: true;
  /** How many can be chosen; one if unset. */
  max?: number;
}

/** A field of which one option is chosen; each value is one. */
export const choiceField = <Value extends string>(
  name: string,
  label: string,
  values: readonly Value[],
  labelOf: (value: Value) => string,
  chosen?: Value,
): ChoiceFieldPlan => ({
  type: 'choice',
  name,
  label,
  required: true,
  options: values.map((value) => ({ value, label: labelOf(value), isDefault: value === chosen })),
});

/** What a member has filled in. */
export interface FormValues {
  fields: Readonly<Record<string, string>>;
  /** Ids of chosen roles and channels, and all chosen values of a choice. */
  lists: Readonly<Record<string, readonly string[]>>;
  /** Discord keeps the files for a while. */
  files: Readonly<Record<string, readonly { address: string; name: string }[]>>;
}
