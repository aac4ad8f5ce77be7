/** An event from Discord, on its way to the partition that answers it. */
export interface Packet {
  /** Discord's id of the event. A packet with the same id is not put in again for a while. */
  readonly id: string;
  readonly content: unknown;
}

export interface TakenPacket extends Packet {
  /** Whether another process may have begun to handle it before it ended. */
  readonly isRepeated: boolean;
}

/** The durable queues from the processes that receive packets to those that answer them: one for each partition. */
export interface Inbox {
  /** The packet survives a crash once this resolves. */
  put(partition: number, packet: Packet): Promise<void>;
  /** Takes a packet back; false if it was taken already, or never put in. */
  withdraw(partition: number, id: string): Promise<boolean>;
  /** Takes a partition's packets until it is closed, which waits for what is being handled. `handle` must not throw. */
  take(partition: number, handle: (packet: TakenPacket) => Promise<void>): TakenInbox;
  /** How many packets no process has taken yet. */
  waiting(partition: number): Promise<number>;
  close(): Promise<void>;
}

export interface TakenInbox {
  close(): Promise<void>;
}
