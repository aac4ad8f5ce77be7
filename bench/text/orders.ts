/** What the process of the embedded sides is told, and what it then answers. */
export interface Input {
  /** Answers that stream at once. */
  answers: number;
  /** So long each of them is, about. */
  words: number;
  gatewaySpeed: number;
}

export interface AnswerFigures {
  /** From the first event of the stream to the first words in Discord; the gateway's own pause before its first words is in it. */
  firstVisibleMs: number;
  edits: number;
  seconds: number;
  letters: number;
}

export interface Served {
  settings: Record<string, string>;
}
