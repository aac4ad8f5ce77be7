import { GatewayOpcodes } from 'discord-api-types/v10';
import type { Clock } from '../../clock.ts';
import type { Limits } from '../limits.ts';
import type { Session } from './session.ts';
import { coversGuild, isChosen, type ShardChoice } from './shard.ts';
import { ShardCounter } from './shard-counter.ts';

export interface Audience {
  /** Undefined sends the event regardless of intents. */
  readonly intent?: number;
  readonly guildId?: string | undefined;
}

interface HubParts {
  readonly limits: Limits;
  readonly clock: Clock;
  onEvent(event: string, data: unknown): void;
}

/** All gateway sessions, and the faults that a test can inject into them. */
export class Hub {
  readonly #sessions = new Map<string, Session>();
  readonly #parts: HubParts;
  readonly counter = new ShardCounter();

  constructor(parts: HubParts) {
    this.#parts = parts;
  }

  get connectedCount(): number {
    return this.countConnected();
  }

  get identifies(): number {
    return this.counter.countsOf().identifies;
  }

  get resumes(): number {
    return this.counter.countsOf().resumes;
  }

  countConnected(choice?: ShardChoice): number {
    return this.#select(choice).filter(({ socket }) => socket !== undefined).length;
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
    this.counter.add(session.shard, 'identifies');
  }

  find(id: unknown): Session | undefined {
    this.#deleteExpired();
    return typeof id === 'string' ? this.#sessions.get(id) : undefined;
  }

  end(session: Session): void {
    this.#sessions.delete(session.id);
    session.detach(this.#parts.clock.now());
  }

  /** `data` may depend on the intents of the session. */
  dispatch(event: string, data: (session: Session) => unknown, { intent, guildId }: Audience = {}): void {
    this.#deleteExpired();
    for (const session of this.#sessions.values()) {
      if (!coversGuild(session.shard, guildId) || (intent !== undefined && (session.intents & intent) === 0)) continue;
      const payload = data(session);
      this.#parts.onEvent(event, payload);
      session.dispatch(event, payload);
    }
  }

  /** Drops the connections without a close frame, like a network failure. */
  dropConnections(choice?: ShardChoice): void {
    for (const { socket } of this.#select(choice)) socket?.terminate();
  }

  /** Closes connections with a code (4004 after a token reset) and ends their sessions. */
  closeSessions(code: number, choice?: ShardChoice): void {
    for (const session of this.#select(choice)) {
      session.socket?.close(code);
      this.end(session);
    }
  }

  requestReconnect(choice?: ShardChoice): void {
    for (const session of this.#select(choice)) send(session, { op: GatewayOpcodes.Reconnect, d: null });
  }

  /** Also ends sessions that have no connection, unless they stay resumable. */
  invalidate(resumable: boolean, choice?: ShardChoice): void {
    for (const session of this.#select(choice)) {
      send(session, { op: GatewayOpcodes.InvalidSession, d: resumable });
      if (resumable) session.detach(this.#parts.clock.now());
      else this.end(session);
    }
  }

  #select(choice: ShardChoice | undefined): Session[] {
    return [...this.#sessions.values()].filter(({ shard }) => isChosen(shard, choice));
  }

  /** A session without a socket can be resumed for a limited time. */
  #deleteExpired(): void {
    const { clock, limits } = this.#parts;
    const earliest = clock.now() - limits.sessionResumeMs;
    for (const { id, detachedAt } of this.#sessions.values())
      if (detachedAt !== undefined && detachedAt < earliest) this.#sessions.delete(id);
  }
}

const send = ({ socket }: Session, message: unknown): void => socket?.send(JSON.stringify(message));
