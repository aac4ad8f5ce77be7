import { Agenda, type AgendaItem } from './agenda.ts';
import { earliestPollAt, type PollHistory } from './allowance.ts';
import { Breaker } from './breaker.ts';
import { FairQueue, type QueueLinks } from './fair-queue.ts';
import { Latency } from './pace.ts';
import type { Lane } from './scheduler.ts';

/** asked-again: a hint arrived while the task was being polled, so it is polled again. */
type Stage = 'waiting' | 'ready' | 'asked' | 'asked-again';

/** One task in the scheduler. There may be a hundred thousand entries, so they contain nothing else. */
export class Entry implements AgendaItem, QueueLinks<Entry> {
  readonly id: string;
  readonly group: string;
  readonly lane: LaneState;
  /** Shared with an entry that replaces it under the same id, so its polls still count. */
  readonly history: PollHistory;
  stage: Stage = 'waiting';
  hasJustFailed = false;
  slot = -1;
  previous: Entry | undefined = undefined;
  next: Entry | undefined = undefined;

  constructor(id: string, group: string, lane: LaneState, history: PollHistory) {
    this.id = id;
    this.group = group;
    this.lane = lane;
    this.history = history;
  }

  get opensAt(): number {
    return earliestPollAt(this.history);
  }
}

/** A poll includes tasks that are due this soon after it, if its lane supports more than one per poll. */
const GATHER_MS = 250;
/** After the machine was suspended, everything is due at the same time: sorting it must not block the process noticeably. */
const MAX_GATHERED_AT_ONCE = 1_000;
/** After a pause the waiting tasks are not all polled at the same time. */
const RESUME_SPREAD_MS = 5_000;
const NEVER = Number.POSITIVE_INFINITY;

export class LaneState {
  readonly lane: Lane;
  readonly breaker = new Breaker();
  readonly latency = new Latency();
  readonly #waiting = new Agenda<Entry>();
  readonly #ready = new FairQueue<Entry>();
  /** The number of concurrent polls: fewer than the total, so a lane whose polls hang leaves some to the others. */
  maxConcurrentPolls: number;
  #runningCount = 0;
  #isProbing = false;

  constructor(lane: Lane, maxConcurrentPolls: number) {
    this.lane = lane;
    this.maxConcurrentPolls = maxConcurrentPolls;
  }

  /** When something can be polled; infinity until a running poll has ended. */
  get opensAt(): number {
    const { pause } = this.breaker;
    if (pause ? this.#isProbing : this.#runningCount >= this.maxConcurrentPolls) return NEVER;
    const dueAt = this.#ready.size > 0 ? Number.NEGATIVE_INFINITY : this.#waiting.next;
    return pause ? Math.max(pause.probeAt, dueAt) : dueAt;
  }

  /** Read each time, since a gateway may turn out to accept fewer. */
  get #max(): number {
    return this.lane.max >= 1 ? Math.floor(this.lane.max) : 1;
  }

  get isIdle(): boolean {
    return this.#runningCount === 0 && this.#ready.size === 0 && this.#waiting.next === NEVER;
  }

  /** The number of polls that could be made now if the limits allowed it; 0 during a pause. */
  get queuedPollCount(): number {
    return this.breaker.pause ? 0 : Math.ceil(this.#ready.size / this.#max);
  }

  /** Schedules a task for this time, or later if its allowance requires that. */
  wait(entry: Entry, until: number): void {
    entry.stage = 'waiting';
    this.#waiting.add(entry, Math.max(until, entry.opensAt));
  }

  pollSoon(entry: Entry, now: number): void {
    if (entry.stage === 'waiting') {
      this.#waiting.remove(entry);
      if (entry.opensAt <= now) this.#makeReady(entry);
      else this.wait(entry, now);
    } else if (entry.stage === 'asked') entry.stage = 'asked-again';
  }

  drop(entry: Entry): void {
    if (entry.stage === 'waiting') this.#waiting.remove(entry);
    else if (entry.stage === 'ready') this.#ready.remove(entry);
  }

  /** Returns the tasks of the next poll. The first poll after a pause is a probe, and the only one until its response. */
  begin(now: number): { entries: Entry[]; isProbe: boolean } {
    this.#gather(now, MAX_GATHERED_AT_ONCE);
    const entries = this.#takeNext(now);
    for (const entry of entries) {
      entry.stage = 'asked';
      entry.history.pollCount += 1;
      entry.history.lastPollAt = now;
    }
    const isProbe = this.breaker.pause !== undefined;
    this.#isProbing = isProbe;
    this.#runningCount += 1;
    return { entries, isProbe };
  }

  /** It is unknown when the poll reached the gateway, so the gap to the next one counts from the response. */
  end(entries: readonly Entry[], isProbe: boolean, now: number): void {
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

  #gather(now: number, max = Number.POSITIVE_INFINITY): void {
    for (let count = 0; count < max; count += 1) {
      const entry = this.#waiting.takeDue(now);
      if (!entry) break;
      this.#makeReady(entry);
    }
  }

  #makeReady(entry: Entry): void {
    entry.stage = 'ready';
    this.#ready.add(entry);
  }

  #takeNext(now: number): Entry[] {
    const entries: Entry[] = [];
    const max = this.#max;
    while (entries.length < max) {
      const entry = this.#ready.takeNext() ?? this.#takeSoon(now);
      if (!entry) break;
      entries.push(entry);
    }
    return entries;
  }

  /** A task that is not due yet is included only if its allowance permits it. */
  #takeSoon(now: number): Entry | undefined {
    const { first } = this.#waiting;
    return first && first.opensAt <= now ? this.#waiting.takeDue(now + (this.lane.gatherMs ?? GATHER_MS)) : undefined;
  }
}
