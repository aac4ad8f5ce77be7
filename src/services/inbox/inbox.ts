/** An event from Discord, on its way to the partition that handles it. */
export interface Packet {
  /** Discord's id of the event. A packet with the same id is not queued again for a while. */
  readonly id: string;
  readonly content: unknown;
}

export interface TakenPacket extends Packet {
  /** Whether another process may have begun to handle this packet. One that declined it has not. */
  readonly isRepeated: boolean;
}

/** Must not throw. A packet that was declined returns to the queue, and another process takes it. */
export type HandlePacket = (packet: TakenPacket) => Promise<'declined' | undefined>;

/** The durable queues from the processes that receive packets to those that handle them, one for each partition. */
export interface Inbox {
  /** The packet survives a crash once this resolves. */
  put(partition: number, packet: Packet): Promise<void>;
  /** Whether no process has taken a packet yet. */
  isWaiting(partition: number, id: string): Promise<boolean>;
  /** Removes a packet; false if a process has taken it already, or it was never queued. */
  withdraw(partition: number, id: string): Promise<boolean>;
  /** Handles a partition's packets until the consumer is closed. Closing waits for packets that are being handled. */
  consume(partition: number, handle: HandlePacket): InboxConsumer;
  /** How many packets no process has taken yet. */
  waitingCount(partition: number): Promise<number>;
  close(): Promise<void>;
}

export interface InboxConsumer {
  close(): Promise<void>;
}
