import type { MessageAddress, Task } from '../task.ts';

/** What became of a task's messages. */
export interface Removal {
  /** How many were taken away. */
  removed: number;
  /** Those that the bot cannot take away. */
  left: readonly MessageAddress[];
  /** Some could not be taken away just now. */
  isLater: boolean;
}

export type RemoveMessages = (task: Task) => Promise<Removal>;

/** How far a member has been forgotten. */
export interface Forgotten {
  /** Tasks that are gone. */
  tasks: number;
  messages: number;
  /** How many messages could not be deleted, and where the first of them are. */
  stays: number;
  left: readonly MessageAddress[];
  /** They are followed to their end, shown nowhere, and go then. */
  running: number;
}

/** Says so to whoever asked for it; false: nobody heard it. */
export type Hear = (forgotten: Forgotten) => Promise<boolean>;

/** Says so to a member who is not there any more; false: it may be tried again. */
export type TellForgotten = (memberId: string, forgotten: Forgotten) => Promise<boolean>;

/** Where a task's own message stands. It may have ended as a direct message, wherever it was asked for. */
export function addressOf({ message, channelId, guildId }: Task): MessageAddress | undefined {
  return message && { ...message, ...(message.channelId === channelId && guildId !== undefined && { guildId }) };
}
