import type { TaskKind } from '../../tasks/kind-spec.ts';

export interface WaitingTask {
  readonly id: string;
  readonly kind: TaskKind;
  readonly group: string;
  readonly memberId: string;
  /** The number of turns in a row that the task's owner gets. */
  readonly weight: number;
}

interface Member {
  tasks: WaitingTask[];
  turnsTaken: number;
}

type Group = Map<string, Member>;

const MAX_REMEMBERED_OWNERS = 10_000;

/**
 * Turns rotate by group, and in each group by member: A, B, C, A, however many tasks each of them has. The next one is
 * the one that has had no turn yet, or whose last turn was longest ago.
 */
export class Turns {
  /** The next turn comes first, also in each group: keys are in the order of their last turns, but a member with a weight keeps the turn. */
  #groups = new Map<string, Group>();
  /** The number of the last turn of each group, and of each of its members. */
  readonly #lastTurns = new Map<string, number>();
  #turn = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `isNext`: puts the task before the other tasks of its owner, because it has waited already. */
  add(task: WaitingTask, { isNext = false } = {}): void {
    const group = this.#groups.get(task.group) ?? new Map<string, Member>();
    if (!this.#groups.has(task.group))
      this.#groups = this.#insertByLastTurn(this.#groups, task.group, group, (name) => name);
    const member = group.get(task.memberId) ?? { tasks: [], turnsTaken: 0 };
    if (!group.has(task.memberId)) {
      const members = this.#insertByLastTurn(group, task.memberId, member, (id) => memberKey(task.group, id));
      this.#groups.set(task.group, members);
    }
    if (isNext) member.tasks.unshift(task);
    else member.tasks.push(task);
    this.#size += 1;
  }

  /** Counts a task that was sent without waiting as a turn. */
  recordTurn({ group, memberId }: Pick<WaitingTask, 'group' | 'memberId'>): void {
    this.#turn += 1;
    for (const key of [group, memberKey(group, memberId)]) {
      this.#lastTurns.delete(key);
      this.#lastTurns.set(key, this.#turn);
    }
    for (const key of this.#lastTurns.keys()) {
      if (this.#lastTurns.size <= 2 * MAX_REMEMBERED_OWNERS) return;
      this.#lastTurns.delete(key);
    }
  }

  next(canSend: (task: WaitingTask) => boolean = () => true): WaitingTask | undefined {
    for (const [groupName, group] of this.#groups)
      for (const [memberId, member] of group) {
        const index = member.tasks.findIndex(canSend);
        const task = member.tasks[index];
        if (!task) continue;
        this.#removeAt(member, index);
        this.recordTurn(task);
        member.turnsTaken += 1;
        if (member.tasks.length === 0) group.delete(memberId);
        else if (member.turnsTaken >= task.weight) {
          member.turnsTaken = 0;
          moveToEnd(group, memberId, member);
        }
        if (group.size === 0) this.#groups.delete(groupName);
        else moveToEnd(this.#groups, groupName, group);
        return task;
      }
    return undefined;
  }

  remove(id: string): void {
    for (const [groupName, group] of this.#groups)
      for (const [memberId, member] of group) {
        const index = member.tasks.findIndex((task) => task.id === id);
        if (index < 0) continue;
        this.#removeAt(member, index);
        if (member.tasks.length === 0) group.delete(memberId);
        if (group.size === 0) this.#groups.delete(groupName);
        return;
      }
  }

  count(isCounted: (task: WaitingTask) => boolean): number {
    let count = 0;
    for (const group of this.#groups.values())
      for (const { tasks } of group.values()) count += tasks.filter(isCounted).length;
    return count;
  }

  /** The tasks in the order of their turns as currently expected. */
  *tasksInOrder(canSend?: (task: WaitingTask) => boolean): Generator<WaitingTask> {
    const copy = new Turns();
    for (const [groupName, group] of this.#groups) {
      const members: Group = new Map();
      for (const [id, { tasks, turnsTaken }] of group) members.set(id, { tasks: [...tasks], turnsTaken });
      copy.#groups.set(groupName, members);
    }
    for (let task = copy.next(canSend); task; task = copy.next(canSend)) yield task;
  }

  /** Inserts a new group or member before those whose last turn was later. */
  #insertByLastTurn<T>(
    map: ReadonlyMap<string, T>,
    key: string,
    value: T,
    nameOf: (key: string) => string,
  ): Map<string, T> {
    const lastTurnOf = (one: string): number => this.#lastTurns.get(nameOf(one)) ?? 0;
    const entries = [...map];
    const index = entries.findIndex(([other]) => lastTurnOf(other) > lastTurnOf(key));
    entries.splice(index < 0 ? entries.length : index, 0, [key, value]);
    return new Map(entries);
  }

  #removeAt({ tasks }: Member, index: number): void {
    tasks.splice(index, 1);
    this.#size -= 1;
  }
}

const memberKey = (group: string, memberId: string): string => `${group} ${memberId}`;

function moveToEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}
