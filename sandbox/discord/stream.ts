export interface Happening {
  readonly kind: 'gateway' | 'message' | 'heard';
  readonly what: unknown;
}

type Listener = (happening: Happening) => void;

/** What goes on, for whoever looks on: the page, through the control socket. */
export class Stream {
  readonly #listeners = new Set<Listener>();

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(happening: Happening): void {
    for (const listener of this.#listeners) listener(happening);
  }
}
