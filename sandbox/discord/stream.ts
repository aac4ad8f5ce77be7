import type { APIMessage } from 'discord-api-types/v10';
import type { MessageChangeKind } from './message-store.ts';

export interface StreamEvent {
  readonly kind: 'gateway' | 'message' | 'heard' | 'session' | 'typing' | 'world';
  readonly what: unknown;
}

/** The content of a `message` event. */
export interface MessageChange {
  readonly change: MessageChangeKind;
  readonly message: APIMessage;
  readonly viewer: string | null;
  readonly edited: boolean;
  readonly channel_id: string;
}

type Listener = (event: StreamEvent) => void;

/** Reports events to the page and to the clients of the control socket. */
export class EventStream {
  readonly #listeners = new Set<Listener>();

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: StreamEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
