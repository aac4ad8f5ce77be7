/** An item links to its neighbours, so it can be removed from the middle without a search. */
export interface QueueLinks<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** First come, first served. Adding, removing and taking an item need constant time. */
class LinkedQueue<T extends QueueLinks<T>> {
  #first: T | undefined;
  #last: T | undefined;

  get first(): T | undefined {
    return this.#first;
  }

  append(item: T): void {
    item.previous = this.#last;
    item.next = undefined;
    if (this.#last) this.#last.next = item;
    else this.#first = item;
    this.#last = item;
  }

  unlink(item: T): void {
    if (item.previous) item.previous.next = item.next;
    else this.#first = item.next;
    if (item.next) item.next.previous = item.previous;
    else this.#last = item.previous;
    item.previous = undefined;
    item.next = undefined;
  }
}

interface GroupedItem<T> extends QueueLinks<T> {
  readonly group: string;
}

interface Group<T extends QueueLinks<T>> extends QueueLinks<Group<T>> {
  readonly name: string;
  readonly members: LinkedQueue<T>;
}

/** Groups take turns; within a group it is first come, first served. However many items one group has, the others wait for one turn per group. */
export class FairQueue<T extends GroupedItem<T>> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #groupQueue = new LinkedQueue<Group<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    this.#groupOf(item).members.append(item);
    this.#size += 1;
  }

  takeNext(): T | undefined {
    const group = this.#groupQueue.first;
    const item = group?.members.first;
    if (!group || !item) return undefined;
    this.remove(item);
    if (group.members.first) {
      this.#groupQueue.unlink(group);
      this.#groupQueue.append(group);
    }
    return item;
  }

  /** Only call this for an item that is in the queue. */
  remove(item: T): void {
    const group = this.#groupOf(item);
    group.members.unlink(item);
    this.#size -= 1;
    if (group.members.first) return;
    this.#groupQueue.unlink(group);
    this.#groups.delete(group.name);
  }

  #groupOf({ group: name }: T): Group<T> {
    const existing = this.#groups.get(name);
    if (existing) return existing;
    const group: Group<T> = { name, members: new LinkedQueue<T>(), previous: undefined, next: undefined };
    this.#groups.set(name, group);
    this.#groupQueue.append(group);
    return group;
  }
}
