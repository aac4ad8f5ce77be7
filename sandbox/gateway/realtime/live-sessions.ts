import { EventEmitter } from 'node:events';
import type { Session } from './session.ts';

interface SessionEvents {
  open: [Session];
  /** Emitted when a reply starts or ends, or when the session stops responding. */
  change: [Session];
  close: [Session];
  received: [Session, unknown];
}

/** The live sessions, for display and for injected faults. */
export class LiveSessions extends EventEmitter<SessionEvents> {
  readonly #open = new Set<Session>();
  /** The number of sessions opened since the gateway started. */
  openedCount = 0;

  /** The open sessions, oldest first. */
  get sessions(): readonly Session[] {
    return [...this.#open];
  }

  add(session: Session): void {
    this.#open.add(session);
    this.openedCount += 1;
    this.emit('open', session);
  }

  notifyChange(session: Session): void {
    if (this.#open.has(session)) this.emit('change', session);
  }

  delete(session: Session): void {
    if (this.#open.delete(session)) this.emit('close', session);
  }

  /** Drops all connections. */
  dropAll(): void {
    for (const session of this.sessions) session.cut();
  }
}
