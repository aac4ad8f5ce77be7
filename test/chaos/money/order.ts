export interface Requester {
  memberId: string;
  guildId: string;
}

/** A message from the harness to the bot. */
export type Command =
  | ({ do: 'order'; prompt: string; model: string | undefined } & Requester)
  | ({ do: 'try again' } & Requester)
  | { do: 'count' };

/** The outcome of a command. */
export interface CommandResult {
  state?: string;
  /** The key of a refusal. */
  refused?: string;
  /** The number of tasks that have not ended. */
  open?: number;
  broken?: string;
}

/** The outcome of an order that the bot refuses because its store is away. */
export const STORE_UNREACHABLE = 'store unreachable';

/** The exit code of a bot whose store cannot be reached when it starts. */
export const TRY_AGAIN = 75;
