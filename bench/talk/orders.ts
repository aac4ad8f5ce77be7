/** How an utterance is sent: as text or as audio. */
export type Manner = 'words' | 'sound';
export const manners = ['words', 'sound'] as const satisfies readonly Manner[];

/** The messages to the process with the embedded servers, and its replies. */
export interface Commands {
  /** Conversations that stay open. */
  open: { input: { talks: number }; output: null };
  /** An utterance by the owner of each conversation, one at a time. */
  alone: { input: { manner: Manner; rounds: number }; output: BotFigures[] };
  /** Utterances in all open conversations at once. */
  together: { input: { words: number }; output: BotFigures[] };
  speed: { input: { gatewaySpeed: number }; output: null };
  /** By session id, the time at which the gateway had received the whole utterance, according to the machine's clock. */
  inputs: { input: null; output: Record<string, number> };
}
export type Command = {
  [Kind in keyof Commands]: { kind: Kind; input: Commands[Kind]['input'] };
}[keyof Commands];

/** Milliseconds since the form was sent. */
export interface BotFigures {
  firstWordsMs: number;
  endMs: number;
  voiceMs: number;
  /** The length of the voice message. */
  seconds: number;
}

export interface ServerInfo {
  settings: Record<string, string>;
  url: string;
  key: string;
}

export type Variant = 'bare' | 'client';

/** The messages to a caller. */
export interface CallerOptions {
  url: string;
  key: string;
  rounds: number;
  /** In this many of the last rounds, answers are received to the end; in the others, only until their first audio. */
  whole: number;
}

/** The times of the events of one answer, according to the machine's clock. */
export interface Call {
  way: Variant;
  manner: Manner;
  session: string;
  firstTextAt: number;
  firstAudioAt: number;
  /** Undefined unless the answer was received to the end. */
  endAt: number | undefined;
}

export const MODEL = 'parley-realtime';
/** A question whose answer has this many words, which the embedded gateway reads from the question. */
export const question = (number: number, words: number): string => `tell me of snow number ${number}, ${words} words`;

/** The clock of the whole machine in milliseconds, so that times from two processes can be compared. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;
