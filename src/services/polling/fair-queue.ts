/** An item links its neighbours, so it can be removed from the middle without a search. */
export interface QueueLinks<T> {
  before: T | undefined;
  behind: T | undefined;
}

/** First come, first served. Adding, removing and taking an item need constant time. */
class Line<T extends QueueLinks<T>> {
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

interface Grouped<T> extends QueueLinks<T> {
  readonly group: string;
}

interface Group<T extends QueueLinks<T>> extends QueueLinks<Group<T>> {
  readonly name: string;
  readonly members: Line<T>;
}

/** Groups take turns; within a group it is first come, first served. However many items one group has, the others wait for one turn per group. */
export class FairQueue<T extends Grouped<T>> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #order = new Line<Group<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    this.#groupOf(item).members.join(item);
    this.#size += 1;
  }

  next(): T | undefined {
    const group = this.#order.first;
    const item = group?.members.first;
    if (!group || !item) return undefined;
    this.remove(item);
    if (group.members.first) {
      this.#order.leave(group);
      this.#order.join(group);
    }
    return item;
  }

  /** Only call this for an item that is in the queue. */
  remove(item: T): void {
    const group = this.#groupOf(item);
    group.members.leave(item);
    this.#size -= 1;
    if (group.members.first) return;
    this.#order.leave(group);
    this.#groups.delete(group.name);
  }

  #groupOf({ group: name }: T): Group<T> {
    const known = this.#groups.get(name);
    if (known) return known;
    const group: Group<T> = { name, members: new Line<T>(), before: undefined, behind: undefined };
    this.#groups.set(name, group);
    this.#order.join(group);
    return group;
  }
}
