export interface Orderer {
  memberId: string;
  guildId: string;
}

/** The message of the harness to the bot. */
export type Command =
  | ({ do: 'order'; prompt: string; model: string | undefined } & Orderer)
  | ({ do: 'try again' } & Orderer)
  | { do: 'count' };

/** The outcome. */
export interface Answer {
  state?: string;
  /** The key of a refusal. */
  refused?: string;
  /** The number of tasks that have not ended. */
  open?: number;
  broken?: string;
}
