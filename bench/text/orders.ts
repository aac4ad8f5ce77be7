/** The messages to the process with the embedded servers, and its replies. */
export interface Input {
  /** Answers that stream at once. */
  answers: number;
  /** The approximate length of each answer. */
  words: number;
  gatewaySpeed: number;
}

export interface AnswerFigures {
  /** From the first event of the stream to the first words in Discord; this includes the gateway's own pause before its first words. */
  firstVisibleMs: number;
  edits: number;
  seconds: number;
  characters: number;
}

export interface ServerInfo {
  settings: Record<string, string>;
}
