/** The listeners to one event, called in the order in which they were added. */
export class Listeners<Event extends unknown[]> {
  readonly #listeners: ((...event: Event) => void)[] = [];

  get isEmpty(): boolean {
    return this.#listeners.length === 0;
  }

  readonly add = (listener: (...event: Event) => void): void => {
    this.#listeners.push(listener);
  };

  notify(...event: Event): void {
    for (const listener of this.#listeners) listener(...event);
  }
}
