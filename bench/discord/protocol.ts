/** The commands for the process with the embedded servers, and what it returns. */
export interface Commands {
  /** Waits until this many sessions have received READY since the servers started. */
  ready: { input: { sessions: number }; output: null };
  /** Ends every session, so that those of exited processes cost nothing more. */
  endSessions: { input: null; output: null };
  /** Members who use a command this many times per second, whether or not earlier ones were answered. */
  load: { input: Load; output: LoadFigures };
  /** Members who post this many messages per second that are not for the bot. */
  foreign: { input: Load; output: null };
  /** Creates interactions that are acknowledged, so that their replies can be edited with their tokens. */
  tokens: { input: { count: number }; output: string[] };
  /** The CPU time of the embedded servers so far. */
  cpuTime: { input: null; output: { cpuMicros: number } };
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
  /** How many interactions got no callback within three seconds. */
  missed: number;
  /** How many replies had been edited, so that they no longer said "thinking…", soon after the last interaction was acknowledged. */
  edited: number;
}

export type Command = { [Kind in keyof Commands]: { kind: Kind; input: Commands[Kind]['input'] } }[keyof Commands];

/** The first message from the embedded servers. */
export interface ServerInfo {
  apiUrl: string;
  token: string;
  applicationId: string;
  /** The environment of a bot. */
  settings: Record<string, string>;
}
