/** Sent as text or as audio. */
export type Manner = 'words' | 'sound';
export const manners = ['words', 'sound'] as const satisfies readonly Manner[];

/** What the process of the embedded sides is told, and what it then answers. */
export interface SideOrders {
  /** Conversations that stay open. */
  open: { input: { talks: number }; answer: null };
  /** Something said by its member in a conversation of its own, once after the other. */
  alone: { input: { manner: Manner; rounds: number }; answer: BotFigures[] };
  /** The same in all conversations that stay open, at once. */
  together: { input: { words: number }; answer: BotFigures[] };
  speed: { input: { gatewaySpeed: number }; answer: null };
  /** By the id of a session: when the gateway had all that was said in it, on the machine's own clock. */
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

/** What a caller is told. */
export interface CallerOrder {
  url: string;
  key: string;
  rounds: number;
  /** So many of them are listened to until their end, the others until their first sound. */
  whole: number;
}

/** Moments of one answer, on the machine's own clock. */
export interface Call {
  way: Way;
  manner: Manner;
  session: string;
  firstTextAt: number;
  firstAudioAt: number;
  /** Of those alone that were listened to until their end. */
  endAt: number | undefined;
}

export const MODEL = 'parley-realtime';
/** The embedded gateway takes a number of words for the length of its answer. */
export const question = (number: number, words: number): string => `tell me of snow number ${number}, ${words} words`;

/** Of the whole machine, so that two processes can compare it. In milliseconds. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;
