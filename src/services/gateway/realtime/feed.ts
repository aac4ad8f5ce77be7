/** What is told one by one to somebody who takes it when they can. One listener. */
export class Feed<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #isOver = false;
  #wake: (() => void) | undefined;

  tell(value: T): void {
    if (this.#isOver) return;
    this.#waiting.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    try {
      for (;;) {
        for (const value of this.#waiting.splice(0)) yield value;
        if (this.#waiting.length > 0) continue;
        if (this.#isOver) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      // Whoever has left is told nothing more, and nothing is kept for them.
      this.#isOver = true;
      this.#waiting.length = 0;
    }
  }
}
