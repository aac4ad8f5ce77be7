/** The messages to the process with the embedded servers, and its replies. */
export interface Orders {
  /** Waits until this many sessions have received READY since the servers started. */
  ready: { input: { sessions: number }; answer: null };
  /** Ends every session, so that one whose process has ended costs nothing more. */
  forget: { input: null; answer: null };
  /** Members who use a command this many times per second, whether or not earlier ones were answered. */
  load: { input: Load; answer: LoadFigures };
  /** Creates interactions that are acknowledged, so that their replies can be edited with their tokens. */
  tokens: { input: { count: number }; answer: string[] };
  /** Processor time of the sides so far. */
  strain: { input: null; answer: { cpuMicros: number } };
}

/** Long enough for an edit that follows its acknowledgement immediately, far too short for one that waits in a queue. */
export const EDIT_GRACE_MS = 250;

export interface Load {
  perSecond: number;
  seconds: number;
}

export interface LoadFigures {
  /** From sending INTERACTION_CREATE to receiving its callback, by the clock of the embedded Discord. */
  milliseconds: number[];
  /** Three seconds passed without a callback. */
  missed: number;
  /** Answers that had replaced their "thinking…" soon after the last interaction was acknowledged. */
  edited: number;
}

export type Order = { [Kind in keyof Orders]: { kind: Kind; input: Orders[Kind]['input'] } }[keyof Orders];

/** The first message from the embedded servers. */
export interface Served {
  apiUrl: string;
  token: string;
  applicationId: string;
  gatewayUrl: string;
  gatewayKey: string;
}
