/** Tracks up to which dispatch everything in a session has been handed over. Hand-overs may finish in any order. */
export class Progress {
  #highest: number;
  readonly #pending = new Set<number>();

  /** Everything up to the sequence number `start` has been handed over. */
  constructor(start: number) {
    this.#highest = start;
  }

  /** Records an event that does not need to be handed over. */
  skip(sequence: number): void {
    this.#highest = Math.max(this.#highest, sequence);
  }

  begin(sequence: number): void {
    this.skip(sequence);
    this.#pending.add(sequence);
  }

  end(sequence: number): void {
    this.#pending.delete(sequence);
  }

  /** The highest sequence number up to which everything has been handed over. A resume replays all later events. */
  get completedSequence(): number {
    let completedSequence = this.#highest;
    for (const sequence of this.#pending) completedSequence = Math.min(completedSequence, sequence - 1);
    return completedSequence;
  }
}
