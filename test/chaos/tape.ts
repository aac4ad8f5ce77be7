/** Everything that was ever heard, although the book it is read from keeps only the newest. */
export class Tape<Entry extends object> {
  readonly entries: Entry[] = [];
  readonly #book: readonly Entry[];

  constructor(book: readonly Entry[]) {
    this.#book = book;
  }

  /** To be called often enough; a gap is an error, for what is judged by must be whole. */
  catchUp(): void {
    const last = this.entries.at(-1);
    const known = last ? this.#book.lastIndexOf(last) : -1;
    if (last && known < 0) throw new Error('The tape was read too seldom.');
    for (const entry of this.#book.slice(known + 1)) this.entries.push(entry);
  }
}
