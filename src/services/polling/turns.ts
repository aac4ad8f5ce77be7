import { type InLine, Line } from './line.ts';

interface Grouped<T> extends InLine<T> {
  readonly group: string;
}

interface Group<T extends InLine<T>> extends InLine<Group<T>> {
  readonly name: string;
  readonly members: Line<T>;
}

/** Groups take turns; within a group it is first come, first served. However many one brings, another waits one turn for each group. */
export class Turns<T extends Grouped<T>> {
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

  /** Only for what is in here. */
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
