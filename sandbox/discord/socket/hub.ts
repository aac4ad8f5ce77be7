import { GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Session } from './session.ts';

export interface Audience {
  /** Undefined sends the event regardless of intents. */
  readonly intent?: number;
  readonly guildId?: string | undefined;
}

/** All gateway sessions, and the faults that a test can inject into them. */
export class Hub {
  readonly #sessions = new Map<string, Session>();
  readonly #onEvent: (event: string, data: unknown) => void;
  identifies = 0;
  resumes = 0;

  constructor(onEvent: (event: string, data: unknown) => void) {
    this.#onEvent = onEvent;
  }

  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined).length;
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
    this.identifies += 1;
  }

  find(id: unknown): Session | undefined {
    return typeof id === 'string' ? this.#sessions.get(id) : undefined;
  }

  end(session: Session): void {
    this.#sessions.delete(session.id);
  }

  /** `data` may depend on the intents of the session. */
  dispatch(event: string, data: (session: Session) => unknown, { intent, guildId }: Audience = {}): void {
    for (const session of this.#sessions.values()) {
      if (!session.covers(guildId) || (intent !== undefined && (session.intents & intent) === 0)) continue;
      const payload = data(session);
      this.#onEvent(event, payload);
      session.dispatch(event, payload);
    }
  }

  /** Drops the connections without a close frame, like a network failure. */
  dropConnections(): void {
    for (const socket of this.#sockets()) socket.terminate();
  }

  /** Closes all connections with a code (4004 after a token reset) and drops the sessions. */
  closeSessions(code: number): void {
    for (const socket of this.#sockets()) socket.close(code);
    this.#sessions.clear();
  }

  requestReconnect(): void {
    this.#sendToAll({ op: GatewayOpcodes.Reconnect, d: null });
  }

  invalidate(resumable: boolean): void {
    this.#sendToAll({ op: GatewayOpcodes.InvalidSession, d: resumable });
    for (const session of this.#sessions.values()) if (session.socket) session.detach(session.socket);
    if (!resumable) this.#sessions.clear();
  }

  #sendToAll(message: unknown): void {
    for (const socket of this.#sockets()) socket.send(JSON.stringify(message));
  }

  #sockets(): WebSocket[] {
    return [...this.#sessions.values()].flatMap(({ socket }) => socket ?? []);
  }
}
