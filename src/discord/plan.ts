/** A message as plain data. What Discord allows and how it is spelled is the adapter's business. */
export interface MessagePlan {
  content?: string;
  /** What becomes of content that is too long: cut at a word, or put into a file with its beginning shown. */
  overflow?: 'cut' | 'file';
  files?: readonly FilePlan[];
  /** Buttons flow into rows; a select has a row of its own. */
  controls?: readonly Control[];
  /** A page of Components V2 instead of content and files. */
  page?: PagePlan;
  /** Whom it notifies; everybody else that it names is only named. */
  notifies?: readonly string[];
  /** The message in the same channel that it answers, by its id. */
  answers?: string;
  /** Its one file is a voice message, and nothing else is in it. `waveform`: a byte per column, in base64. */
  voice?: { seconds: number; waveform: string };
}

/** A plan whose files may hold memory. */
export interface Prepared {
  plan: MessagePlan;
  /** Sent where Discord does not take the plan. */
  instead?: MessagePlan;
  /** Frees the memory of the files. */
  release(): void;
}

/** A file whose bytes are at hand, or lie on the disk from where they are sent. */
export type FilePlan = FileLabel &
  ({ bytes: Buffer; path?: undefined } | { bytes?: undefined; path: string; size: number; mime: string });

export interface FileLabel {
  name: string;
  /** What the file shows, for those who cannot see it. */
  alt?: string;
  spoiler?: boolean;
}

export interface PagePlan {
  title: string;
  blocks: readonly string[];
  /** Small print under the blocks. */
  footer?: string;
}

export type Control = ButtonPlan | LinkPlan | SelectPlan;

export interface ButtonPlan {
  type: 'button';
  id: string;
  label: string;
  emoji?: string;
  look?: 'plain' | 'primary' | 'good' | 'danger';
  disabled?: boolean;
  /** The first of a row, though the row before has room. */
  startsRow?: boolean;
}

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

/** A form that opens over Discord. */
export interface FormPlan {
  id: string;
  title: string;
  fields: readonly FieldPlan[];
}

/** The file is one of the member's own. */
export type FieldPlan = TextFieldPlan | ChoiceFieldPlan | (FieldFacts & { type: 'file' });

interface FieldFacts {
  name: string;
  label: string;
  /** Said under the label. */
  hint?: string;
  required?: boolean;
}

interface TextFieldPlan extends FieldFacts {
  type: 'text';
  /** What stands in it when it opens. */
  value?: string;
  long?: boolean;
}

export interface ChoiceFieldPlan extends FieldFacts {
  type: 'choice';
  options: readonly { value: string; label: string; isDefault?: boolean }[];
}
