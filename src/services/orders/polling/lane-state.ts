import { earliestPollAt, type PollHistory } from './allowance.ts';
import { Breaker } from './breaker.ts';
import type { Lane } from './lane.ts';

/** One task in the scheduler. There may be a hundred thousand entries, so they contain nothing else. */
export interface ScheduledTask {
  readonly id: string;
  readonly group: string;
  readonly lane: LaneState;
  /** Shared with an entry that replaces it under the same id, so its polls still count. */
  readonly history: PollHistory;
  dueAt: number;
  /** Set if a hint arrived while the task was being polled, so it is polled again. */
  isHinted: boolean;
  hasJustFailed: boolean;
}

/** A poll includes tasks that are due this soon after it, if its lane supports more than one per poll. */
const GATHER_MS = 250;
/** Gathering the due tasks visits all that wait, so the more there are, the rarer it is: on average, this many are visited per millisecond at most. */
const VISITED_PER_MS = 2_000;
/** After a pause the waiting tasks are not all polled at the same time. */
const RESUME_SPREAD_MS = 5_000;
const NEVER = Number.POSITIVE_INFINITY;

const earliestFirst = (one: ScheduledTask, other: ScheduledTask): number => one.dueAt - other.dueAt;

export interface BegunPoll {
  entries: ScheduledTask[];
  isProbe: boolean;
}

/** The tasks of a lane: each is waiting until it is due, ready to be polled, or being polled. */
export class LaneState {
  readonly lane: Lane;
  readonly breaker = new Breaker();
  /** Lanes take turns: the one whose last turn was longest ago is next. */
  lastTurn = 0;
  readonly #waiting = new Set<ScheduledTask>();
  readonly #ready = new FairQueue<ScheduledTask>();
  /** No waiting task is due earlier. */
  #nextDueAt = NEVER;
  #gatheredAt = Number.NEGATIVE_INFINITY;
  #runningCount = 0;
  #isProbing = false;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  /** When to look at this lane next; infinity until a running poll has ended. */
  opensAt(maxConcurrentPolls: number): number {
    const { pause } = this.breaker;
    if (pause ? this.#isProbing : this.#runningCount >= maxConcurrentPolls) return NEVER;
    const dueAt = this.#ready.size > 0 ? Number.NEGATIVE_INFINITY : this.#nextGatheringAt;
    return pause ? Math.max(pause.probeAt, dueAt) : dueAt;
  }

  /** Read each time, since a gateway may turn out to accept fewer. */
  get #max(): number {
    return this.lane.max >= 1 ? Math.floor(this.lane.max) : 1;
  }

  get isIdle(): boolean {
    return this.#runningCount === 0 && this.#ready.size === 0 && this.#waiting.size === 0;
  }

  /** The number of polls that could be made now if the limits allowed it; 0 during a pause. */
  get queuedPollCount(): number {
    return this.breaker.pause ? 0 : Math.ceil(this.#ready.size / this.#max);
  }

  /** Schedules a task for this time, or later if its allowance requires that. */
  wait(entry: ScheduledTask, until: number): void {
    entry.dueAt = Math.max(until, earliestPollAt(entry.history));
    this.#waiting.add(entry);
    this.#nextDueAt = Math.min(this.#nextDueAt, entry.dueAt);
  }

  pollSoon(entry: ScheduledTask, now: number): void {
    if (this.#waiting.has(entry)) this.wait(entry, now);
    else entry.isHinted = true;
  }

  drop(entry: ScheduledTask): void {
    if (!this.#waiting.delete(entry)) this.#ready.remove(entry);
  }

  /** Undefined if no task is due. The first poll after a pause is a probe, and the only one until its response. */
  begin(now: number): BegunPoll | undefined {
    if (this.#nextGatheringAt <= now) this.#gather(now);
    const entries = this.#takeNext(now);
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      entry.isHinted = false;
      entry.history.pollCount += 1;
      entry.history.lastPollAt = now;
    }
    const isProbe = this.breaker.pause !== undefined;
    this.#isProbing = isProbe;
    this.#runningCount += 1;
    return { entries, isProbe };
  }

  /** It is unknown when the poll reached the gateway, so the gap to the next one counts from the response. */
  end(entries: readonly ScheduledTask[], isProbe: boolean, now: number): void {
    for (const { history } of entries) history.lastPollAt = Math.max(history.lastPollAt, now);
    this.#runningCount -= 1;
    if (isProbe) this.#isProbing = false;
  }

  /** Spreads the tasks that waited for the end of a pause, in turns and by whole polls. */
  resume(now: number): void {
    this.#gather(now);
    const step = RESUME_SPREAD_MS / Math.max(1, Math.ceil(this.#ready.size / this.#max));
    for (let index = 0; this.#ready.size > 0; index += 1) {
      const entry = this.#ready.takeNext();
      if (entry) this.wait(entry, now + step * Math.floor(index / this.#max));
    }
  }

  get #nextGatheringAt(): number {
    return Math.max(this.#nextDueAt, this.#gatheredAt + Math.floor(this.#waiting.size / VISITED_PER_MS));
  }

  #gather(now: number): void {
    this.#gatheredAt = now;
    this.#nextDueAt = NEVER;
    const due: ScheduledTask[] = [];
    for (const entry of this.#waiting) {
      if (entry.dueAt <= now) due.push(entry);
      else this.#nextDueAt = Math.min(this.#nextDueAt, entry.dueAt);
    }
    for (const entry of due.sort(earliestFirst)) {
      this.#waiting.delete(entry);
      this.#ready.add(entry);
    }
  }

  #takeNext(now: number): ScheduledTask[] {
    const entries: ScheduledTask[] = [];
    while (entries.length < this.#max) {
      const entry = this.#ready.takeNext();
      if (!entry) break;
      entries.push(entry);
    }
    const freePlaces = entries.length === 0 ? 0 : this.#max - entries.length;
    return freePlaces > 0 ? [...entries, ...this.#takeSoon(now, freePlaces)] : entries;
  }

  /** Tasks that are not due yet, but soon, and whose allowance permits a poll now. */
  #takeSoon(now: number, count: number): ScheduledTask[] {
    const latest = now + (this.lane.gatherMs ?? GATHER_MS);
    const soon = [...this.#waiting].filter((entry) => entry.dueAt <= latest && earliestPollAt(entry.history) <= now);
    const taken = soon.sort(earliestFirst).slice(0, count);
    for (const entry of taken) this.#waiting.delete(entry);
    return taken;
  }
}

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
