import { GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';

/** The number of missed events with which a session can still resume. */
const MAX_RECENT_EVENTS = 1_000;

/** A gateway session. It outlives its socket and keeps recent events for a resume. */
export class Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  #socket: WebSocket | undefined;
  #sequence = 0;
  #recentEvents: { sequence: number; text: string }[] = [];

  constructor(id: string, intents: number, shard: readonly [number, number], socket: WebSocket) {
    this.id = id;
    this.intents = intents;
    this.shard = shard;
    this.#socket = socket;
  }

  get socket(): WebSocket | undefined {
    return this.#socket;
  }

  get sequence(): number {
    return this.#sequence;
  }

  dispatch(event: string, data: unknown): void {
    this.#sequence += 1;
    const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, t: event, s: this.#sequence, d: data });
    this.#recentEvents.push({ sequence: this.#sequence, text });
    if (this.#recentEvents.length > MAX_RECENT_EVENTS) this.#recentEvents.shift();
    this.#socket?.send(text);
  }

  canResumeAfter(sequence: number): boolean {
    const oldest = this.#recentEvents[0]?.sequence ?? this.#sequence + 1;
    return sequence <= this.#sequence && sequence >= oldest - 1;
  }

  resume(socket: WebSocket, after: number): void {
    this.#socket?.close(4000);
    this.#socket = socket;
    for (const { sequence, text } of this.#recentEvents) if (sequence > after) socket.send(text);
    this.dispatch('RESUMED', null);
  }

  detach(socket: WebSocket): void {
    if (this.#socket === socket) this.#socket = undefined;
  }

  /** Guilds are divided among shards; direct messages go to shard 0 (documentation, events/gateway, "Sharding"). */
  covers(guildId: string | undefined): boolean {
    const [shardIndex, shardCount] = this.shard;
    return guildId === undefined
      ? shardIndex === 0
      : Number((BigInt(guildId) >> 22n) % BigInt(shardCount)) === shardIndex;
  }
}
