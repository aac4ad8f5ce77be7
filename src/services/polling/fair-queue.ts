/** Groups take turns; within a group it is first come, first served. However many items one group has, the others wait for one turn per group. */
export class FairQueue<T extends { readonly group: string }> {
  /** The next turn comes first. */
  readonly #groups = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    const group = this.#groups.get(item.group);
    if (group) group.push(item);
    else this.#groups.set(item.group, [item]);
    this.#size += 1;
  }

  takeNext(): T | undefined {
    const [next] = this.#groups;
    if (!next) return undefined;
    const [name, group] = next;
    const item = group.shift();
    this.#groups.delete(name);
    if (group.length > 0) this.#groups.set(name, group);
    this.#size -= 1;
    return item;
  }

  remove(item: T): void {
    const group = this.#groups.get(item.group);
    const index = group?.indexOf(item) ?? -1;
    if (!group || index < 0) return;
    group.splice(index, 1);
    if (group.length === 0) this.#groups.delete(item.group);
    this.#size -= 1;
  }
}
