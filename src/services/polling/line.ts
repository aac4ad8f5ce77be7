/** Whoever stands in a line knows its neighbours, so that it can leave from the middle without a search. */
export interface InLine<T> {
  before: T | undefined;
  behind: T | undefined;
}

/** First come, first served. Joining, leaving and being served take the same time in a line of any length. */
export class Line<T extends InLine<T>> {
  #first: T | undefined;
  #last: T | undefined;

  get first(): T | undefined {
    return this.#first;
  }

  join(item: T): void {
    item.before = this.#last;
    item.behind = undefined;
    if (this.#last) this.#last.behind = item;
    else this.#first = item;
    this.#last = item;
  }

  leave(item: T): void {
    if (item.before) item.before.behind = item.behind;
    else this.#first = item.behind;
    if (item.behind) item.behind.before = item.before;
    else this.#last = item.before;
    item.before = undefined;
    item.behind = undefined;
  }
}
