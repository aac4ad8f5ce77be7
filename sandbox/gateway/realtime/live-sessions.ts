import { EventEmitter } from 'node:events';
import type { Session } from './session.ts';

interface SessionEvents {
  open: [Session];
  /** What it does has changed: an answer began or ended, or nothing more comes. */
  change: [Session];
  close: [Session];
  heard: [Session, unknown];
}

/** The live sessions, for display and for injected faults. */
export class LiveSessions extends EventEmitter<SessionEvents> {
  readonly #open = new Set<Session>();
  /** How many there have been. */
  opened = 0;

  /** Those that are open, oldest first. */
  get sessions(): readonly Session[] {
    return [...this.#open];
  }

  add(session: Session): void {
    this.#open.add(session);
    this.opened += 1;
    this.emit('open', session);
  }

  notifyChange(session: Session): void {
    if (this.#open.has(session)) this.emit('change', session);
  }

  delete(session: Session): void {
    if (this.#open.delete(session)) this.emit('close', session);
  }

  /** All connections go without a word. */
  cutAll(): void {
    for (const session of this.sessions) session.cut();
  }
}
