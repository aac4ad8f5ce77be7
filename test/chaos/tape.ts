/** All requests ever received, although the log from which they are read keeps only the newest ones. */
export class Tape<Entry extends object> {
  readonly entries: Entry[] = [];
  readonly #book: readonly Entry[];

  constructor(book: readonly Entry[]) {
    this.#book = book;
  }

  /** Must be called often enough: a gap is an error, because the judgement needs all requests. */
  catchUp(): void {
    const last = this.entries.at(-1);
    const known = last ? this.#book.lastIndexOf(last) : -1;
    if (last && known < 0) throw new Error('The log was not read often enough.');
    for (const entry of this.#book.slice(known + 1)) this.entries.push(entry);
  }
}
