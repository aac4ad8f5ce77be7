import { GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Shard } from './shard.ts';

interface SessionOptions {
  readonly id: string;
  readonly intents: number;
  readonly shard: Shard;
  readonly socket: WebSocket;
  /** The number of events that a session keeps for a resume. */
  readonly maxEvents: number;
}

/** A gateway session. It outlives its socket and keeps recent events for a resume. */
export class Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: Shard;
  readonly #maxEvents: number;
  #socket: WebSocket | undefined;
  #detachedAt: number | undefined;
  #sequence = 0;
  #recentEvents: { sequence: number; text: string }[] = [];

  constructor({ id, intents, shard, socket, maxEvents }: SessionOptions) {
    this.id = id;
    this.intents = intents;
    this.shard = shard;
    this.#socket = socket;
    this.#maxEvents = maxEvents;
  }

  get socket(): WebSocket | undefined {
    return this.#socket;
  }

  /** When the session lost its socket; undefined while it has one. */
  get detachedAt(): number | undefined {
    return this.#detachedAt;
  }

  dispatch(event: string, data: unknown): void {
    this.#sequence += 1;
    const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, t: event, s: this.#sequence, d: data });
    this.#recentEvents.push({ sequence: this.#sequence, text });
    if (this.#recentEvents.length > this.#maxEvents) this.#recentEvents.shift();
    this.#socket?.send(text);
  }

  /** Whether an event with this sequence number has been sent. */
  hasSent(sequence: number): boolean {
    return Number.isSafeInteger(sequence) && sequence >= 0 && sequence <= this.#sequence;
  }

  /** Whether all events after this sequence number are still kept. */
  canReplayAfter(sequence: number): boolean {
    const oldest = this.#recentEvents[0]?.sequence ?? this.#sequence + 1;
    return sequence >= oldest - 1;
  }

  /** Sends the missed events to the new socket. An older socket that is still open is closed with a code that allows a resume. */
  resume(socket: WebSocket, lastSequence: number): void {
    this.#socket?.close(4000, 'The session was resumed on another connection.');
    this.#socket = socket;
    this.#detachedAt = undefined;
    for (const { sequence, text } of this.#recentEvents) if (sequence > lastSequence) socket.send(text);
    this.dispatch('RESUMED', null);
  }

  detach(now: number): void {
    this.#socket = undefined;
    this.#detachedAt ??= now;
  }
}
