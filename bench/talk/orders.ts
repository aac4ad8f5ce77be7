/** Sent as text or as audio. */
export type Manner = 'words' | 'sound';
export const manners = ['words', 'sound'] as const satisfies readonly Manner[];

/** The messages to the process with the embedded servers, and its replies. */
export interface SideOrders {
  /** Conversations that stay open. */
  open: { input: { talks: number }; answer: null };
  /** An utterance by the owner of each conversation, one at a time. */
  alone: { input: { manner: Manner; rounds: number }; answer: BotFigures[] };
  /** The same in all open conversations at once. */
  together: { input: { words: number }; answer: BotFigures[] };
  speed: { input: { gatewaySpeed: number }; answer: null };
  /** By session id: when the gateway had received the whole utterance, by the machine's own clock. */
  inputs: { input: null; answer: Record<string, number> };
}
export type SideOrder = {
  [Kind in keyof SideOrders]: { kind: Kind; input: SideOrders[Kind]['input'] };
}[keyof SideOrders];

/** Milliseconds since the form was sent. */
export interface BotFigures {
  firstWordsMs: number;
  endMs: number;
  voiceMs: number;
  /** How long the voice message is. */
  seconds: number;
}

export interface Served {
  settings: Record<string, string>;
  url: string;
  key: string;
}

export type Way = 'bare' | 'client';

/** The messages to a caller. */
export interface CallerOrder {
  url: string;
  key: string;
  rounds: number;
  /** This many answers are received until their end, the others until their first audio. */
  whole: number;
}

/** Moments of one answer, on the machine's own clock. */
export interface Call {
  way: Way;
  manner: Manner;
  session: string;
  firstTextAt: number;
  firstAudioAt: number;
  /** Only of answers that were received until their end. */
  endAt: number | undefined;
}

export const MODEL = 'parley-realtime';
/** The embedded gateway accepts a number of words for the length of its answer. */
export const question = (number: number, words: number): string => `tell me of snow number ${number}, ${words} words`;

/** Of the whole machine, so two processes can compare it. In milliseconds. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;
