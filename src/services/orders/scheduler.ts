import { Alarm, type Clock, SteadyClock } from '../../lib/clock.ts';
import { Listeners } from '../../lib/listeners.ts';
import { runWithoutSubject } from '../../lib/log-subject.ts';
import { ownReason } from '../gateway/errors.ts';
import type { TasksLog } from './book.ts';
import type { PollHistory } from './polling/allowance.ts';
import { addJitter, retryAt } from './polling/breaker.ts';
import { PollCapacity, type SchedulerLimits } from './polling/capacity.ts';
import { isTrouble, type Lane, type RequestPermit, type Trouble, type Verdict } from './polling/lane.ts';
import { type BegunPoll, LaneState, type ScheduledTask } from './polling/lane-state.ts';

export interface FollowedTask {
  id: string;
  lane: Lane;
  /** Groups take turns, so a busy one does not keep the others waiting. */
  group: string;
  nextPollAt: number;
  /** The task's polls so far. If undefined, polling begins now. */
  history?: PollHistory | undefined;
}

export interface LaneTrouble extends Trouble {
  lane: string;
  since: number;
}

export type PollOutcome = 'answered' | Trouble['kind'];

/** Decides when to poll, within its budget. Nothing else polls. After a restart everything is added again from the store. */
export class Scheduler {
  readonly #clock: SteadyClock;
  readonly random: () => number;
  readonly #log: TasksLog;
  readonly #capacity: PollCapacity;
  readonly #alarm: Alarm;
  readonly #entries = new Map<string, ScheduledTask>();
  readonly #lanes: LaneState[] = [];
  #turn = 0;
  readonly #runningPolls = new Set<Promise<void>>();
  readonly #polls = new Listeners<[lane: string, outcome: PollOutcome]>();
  readonly onPoll = this.#polls.add;
  readonly #permitQueue: PromiseWithResolvers<void>[] = [];
  #isRunning = false;

  constructor(clock: Clock, random: () => number, log: TasksLog, limits: SchedulerLimits) {
    this.#clock = new SteadyClock(clock);
    this.random = random;
    this.#log = log;
    this.#capacity = new PollCapacity(limits);
    this.#alarm = new Alarm(this.#clock, () => runWithoutSubject(() => this.#tick()));
  }

  get size(): number {
    return this.#entries.size;
  }

  get pressure(): number {
    return this.#capacity.pressure;
  }

  /** Adding an id again drops a running poll of it. Earlier polls still count towards its allowance, which is never exceeded. */
  add({ id, lane, group, nextPollAt, history }: FollowedTask): void {
    const previousHistory = this.#entries.get(id)?.history;
    this.remove(id);
    const entry = {
      id,
      group,
      lane: this.#stateOf(lane),
      history: previousHistory ?? this.#toSteadyTime(history),
      dueAt: 0,
      isHinted: false,
      hasJustFailed: false,
    };
    this.#entries.set(id, entry);
    entry.lane.wait(entry, Number.isFinite(nextPollAt) ? this.#clock.fromMachine(nextPollAt) : this.#clock.now());
    this.#setAlarm();
  }

  /** The task may have changed: polls it as soon as allowance and budget permit, and again if a poll is running. */
  hint(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.lane.pollSoon(entry, this.#clock.now());
    this.#setAlarm();
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    entry.lane.drop(entry);
  }

  /** Removes tasks, and waits for the polls that are running now. */
  async removeAll(isRemoved: (id: string) => boolean): Promise<void> {
    for (const id of [...this.#entries.keys()].filter(isRemoved)) this.remove(id);
    await Promise.all(this.#runningPolls);
  }

  setLimits(limits: SchedulerLimits): void {
    this.#capacity.setLimits(limits, this.#clock.now());
    this.#setAlarm();
  }

  /** Nothing is polled before this is called. */
  start(): void {
    this.#isRunning = true;
    this.#setAlarm();
  }

  /** Starts no more polls, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#alarm.cancel();
    for (const permit of this.#permitQueue.splice(0)) permit.reject(new Error('Polling has stopped.'));
    await Promise.all(this.#runningPolls);
  }

  /** Paused lanes with waiting tasks, and the reason for each pause. */
  troubles(): LaneTrouble[] {
    return this.#lanes.flatMap(({ lane, isIdle, breaker: { pause } }) =>
      // A lane with no waiting tasks has no probe that could end its pause, so it is not reported.
      pause && !isIdle ? [{ ...pause.trouble, lane: lane.name, since: this.#clock.toMachine(pause.since) }] : [],
    );
  }

  get laneNames(): string[] {
    return this.#lanes.map(({ lane }) => lane.name);
  }

  #tick(): void {
    const now = this.#clock.now();
    // First, so that polls end soon.
    while (this.#permitQueue.length > 0 && this.#capacity.nextRequestAt(now) <= now) {
      this.#capacity.recordRequest(now);
      this.#permitQueue.shift()?.resolve();
    }
    while (this.#isRunning && this.#capacity.opensAt(now) <= now) {
      const openLanes = this.#lanes.filter((one) => one.opensAt(this.#capacity.maxPollsPerLane) <= now);
      const [state] = openLanes.sort((one, other) => one.lastTurn - other.lastTurn);
      if (!state) break;
      const begunPoll = state.begin(now);
      if (!begunPoll) continue;
      this.#turn += 1;
      state.lastTurn = this.#turn;
      const poll = this.#poll(state, begunPoll, now).finally(() => this.#runningPolls.delete(poll));
      this.#runningPolls.add(poll);
    }
    const queue = this.#lanes.reduce((sum, { queuedPollCount }) => sum + queuedPollCount, 0);
    this.#capacity.update(queue, now);
    this.#setAlarm();
  }

  #setAlarm(): void {
    if (!this.#isRunning) return;
    const now = this.#clock.now();
    if (this.#permitQueue.length > 0) this.#alarm.set(this.#capacity.nextRequestAt(now));
    const next = Math.min(...this.#lanes.map((state) => state.opensAt(this.#capacity.maxPollsPerLane)));
    this.#alarm.set(Math.max(next, this.#capacity.opensAt(now)));
  }

  /** The start of a poll permits its first request. */
  #newPermit(): RequestPermit {
    let isFirst = true;
    return async () => {
      if (!isFirst) await this.#awaitPermit();
      isFirst = false;
    };
  }

  async #awaitPermit(): Promise<void> {
    if (!this.#isRunning) throw new Error('Polling has stopped.');
    const permit = Promise.withResolvers<void>();
    this.#permitQueue.push(permit);
    this.#tick();
    await permit.promise;
  }

  async #poll(state: LaneState, { entries, isProbe }: BegunPoll, now: number): Promise<void> {
    this.#capacity.begin(now);
    const ids = entries.map(({ id }) => id);
    const verdicts = await pollLane(state.lane, ids, this.#newPermit(), this.#log);
    const trouble = verdicts.findLast(isTrouble);
    const endedAt = this.#clock.now();
    this.#capacity.end();
    state.end(entries, isProbe, endedAt);
    this.#polls.notify(state.lane.name, trouble?.kind ?? 'answered');
    // A task may have been removed, or added again, while it was polled.
    const isFollowed = (entry: ScheduledTask): boolean => this.#entries.get(entry.id) === entry;
    if (this.#isRunning) {
      // A poll whose first request succeeded may still fail for some of its tasks.
      if (verdicts.some((verdict) => !isTrouble(verdict))) this.#recordResponse(state, isProbe, endedAt);
      if (trouble) this.#recordTrouble(state, trouble, isProbe, endedAt);
      // Tasks that were polled together stay together if that saves polls.
      const sharedRandom = this.random();
      const random = state.lane.max > 1 ? () => sharedRandom : this.random;
      for (const [index, entry] of entries.entries())
        if (isFollowed(entry)) this.#scheduleNext(entry, verdicts[index], endedAt, random);
      // After the stop, results are dropped: the next start polls again.
    } else for (const entry of entries.filter(isFollowed)) state.wait(entry, endedAt);
    this.#tick();
  }

  #recordResponse(state: LaneState, isProbe: boolean, now: number): void {
    const endedPause = state.breaker.recordResponse(isProbe, now);
    if (!endedPause) return;
    state.resume(now);
    this.#log.info({ lane: state.lane.name, afterMs: now - endedPause.since }, 'Polling of a lane resumed.');
  }

  #recordTrouble({ lane, breaker }: LaneState, trouble: Trouble, isProbe: boolean, now: number): void {
    // A complaint in one lane slows all of them down: they share a gateway and a key.
    const perSecond = trouble.kind === 'busy' ? this.#capacity.halve(now) : undefined;
    if (perSecond !== undefined)
      this.#log.info({ lane: lane.name, perSecond }, 'The polling rate was reduced for a while.');
    const { kind } = trouble;
    const pause = breaker.recordTrouble(trouble, isProbe, now);
    if (pause) this.#log.warn({ lane: lane.name, kind, forMs: pause.probeAt - now }, 'Polling of a lane is paused.');
  }

  #scheduleNext(entry: ScheduledTask, verdict: PollVerdict, now: number, random: () => number): void {
    const { id, lane, isHinted, hasJustFailed } = entry;
    const { pause } = lane.breaker;
    entry.hasJustFailed = isTrouble(verdict);
    if (verdict === 'done') this.#entries.delete(id);
    // After the pause a task that became due in the meantime is the better probe, since one of these tasks may be the cause.
    else if (isTrouble(verdict)) lane.wait(entry, pause?.probeAt ?? retryAt(verdict, !hasJustFailed, now, random));
    else if (isHinted) lane.wait(entry, now);
    else lane.wait(entry, addJitter(verdict && this.#clock.fromMachine(verdict.again), now, random));
  }

  #toSteadyTime(history: PollHistory | undefined): PollHistory {
    const now = this.#clock.now();
    if (!history) return { since: now, pollCount: 0, lastPollAt: Number.NEGATIVE_INFINITY };
    const { since, pollCount, lastPollAt } = history;
    return { since: this.#clock.fromMachine(since), pollCount, lastPollAt: this.#clock.fromMachine(lastPollAt) };
  }

  #stateOf(lane: Lane): LaneState {
    const existing = this.#lanes.find((state) => state.lane.name === lane.name);
    if (existing) return existing;
    const state = new LaneState(lane);
    this.#lanes.push(state);
    return state;
  }
}

/** Undefined if the response left the task out. */
type PollVerdict = Verdict | Trouble | undefined;

/** The verdicts in the order of the ids. Never rejects. */
async function pollLane(
  lane: Lane,
  ids: readonly string[],
  permit: RequestPermit,
  log: TasksLog,
): Promise<PollVerdict[]> {
  try {
    const result = await lane.poll(ids, permit);
    if (isTrouble(result)) return ids.map(() => result);
    const verdicts = ids.map((id) => result.get(id));
    const missingIds = ids.filter((_, index) => !verdicts[index]);
    if (missingIds.length > 0)
      log.debug({ lane: lane.name, missing: missingIds }, 'A poll result left out some of its tasks.');
    return verdicts;
  } catch (error) {
    // A bug in the bot must not end a task: it is polled again, and the stack is in the log.
    log.error({ lane: lane.name, err: error }, 'A poll failed unexpectedly.');
    return ids.map(() => ({ kind: 'unreachable', reason: ownReason('unexpected') }));
  }
}
