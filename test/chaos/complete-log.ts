/** All requests ever received, although the log from which they are read keeps only the newest ones. */
export class CompleteLog<Entry extends object> {
  readonly entries: Entry[] = [];
  readonly #log: readonly Entry[];

  constructor(log: readonly Entry[]) {
    this.#log = log;
  }

  /** Must be called often enough: a gap is an error, because the assessment needs all requests. */
  catchUp(): void {
    const lastEntry = this.entries.at(-1);
    const lastIndex = lastEntry ? this.#log.lastIndexOf(lastEntry) : -1;
    if (lastEntry && lastIndex < 0) throw new Error('The log was not read often enough.');
    for (const entry of this.#log.slice(lastIndex + 1)) this.entries.push(entry);
  }
}
