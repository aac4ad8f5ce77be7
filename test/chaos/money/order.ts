export interface Orderer {
  memberId: string;
  guildId: string;
}

/** The message of the harness to the bot. */
export type Command =
  | ({ do: 'order'; prompt: string; model: string | undefined } & Orderer)
  | ({ do: 'try again' } & Orderer)
  | { do: 'count' };

/** How it went. */
export interface Answer {
  state?: string;
  /** The key of a refusal. */
  refused?: string;
  /** Tasks that have not ended. */
  open?: number;
  broken?: string;
}
