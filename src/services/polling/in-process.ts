import { type Clock, SteadyClock } from '../../lib/clock.ts';
import { runWithoutSubject } from '../../lib/log-subject.ts';
import type { TasksLog } from '../tasks/book.ts';
import { Alarm } from './agenda.ts';
import type { PollHistory } from './allowance.ts';
import { addJitter, retryAt } from './breaker.ts';
import { PollCapacity, type SchedulerLimits } from './capacity.ts';
import { Entry, LaneState } from './lane-state.ts';
import type { SlowdownCause } from './pace.ts';
import type {
  FollowedTask,
  Lane,
  LaneTrouble,
  PollOutcome,
  RequestPermit,
  Scheduler,
  Trouble,
  Verdict,
} from './scheduler.ts';

/** Fewer polls at once than the client has connections, since members' requests need some too. */
const DEFAULT_LIMITS: SchedulerLimits = { perSecond: 50, inFlight: 24 };
/** The share of all concurrent polls that one lane may use. */
const LANE_SHARE = 0.75;

interface SchedulerParts {
  clock: Clock;
  random: () => number;
  log: TasksLog;
  limits?: Partial<SchedulerLimits> | undefined;
}

/** Schedules all polls within this process. After a restart everything is added again from the store. */
export class InProcessScheduler implements Scheduler {
  readonly #clock: SteadyClock;
  readonly #random: () => number;
  readonly #log: TasksLog;
  readonly #capacity: PollCapacity;
  #maxPollsPerLane: number;
  readonly #alarm: Alarm;
  readonly #entries = new Map<string, Entry>();
  readonly #lanes: LaneState[] = [];
  readonly #runningPolls = new Set<Promise<void>>();
  readonly #pollListeners: ((lane: string, outcome: PollOutcome) => void)[] = [];
  /** Running polls that wait to send another request. */
  readonly #permitQueue: PromiseWithResolvers<void>[] = [];
  #isRunning = false;
  #nextLaneIndex = 0;

  constructor({ clock, random, log, limits }: SchedulerParts) {
    const { perSecond, inFlight } = { ...DEFAULT_LIMITS, ...limits };
    this.#clock = new SteadyClock(clock);
    this.#random = random;
    this.#log = log;
    this.#capacity = new PollCapacity({ perSecond, inFlight });
    this.#maxPollsPerLane = maxPollsPerLane(inFlight);
    this.#alarm = new Alarm(this.#clock, () => runWithoutSubject(() => this.#run()));
  }

  get size(): number {
    return this.#entries.size;
  }

  get pressure(): number {
    return this.#capacity.pressure;
  }

  add({ id, lane, group, nextPollAt, history }: FollowedTask): void {
    const previousHistory = this.#entries.get(id)?.history;
    this.remove(id);
    const entry = new Entry(id, group, this.#stateOf(lane), previousHistory ?? this.#toSteadyTime(history));
    this.#entries.set(id, entry);
    entry.lane.wait(entry, Number.isFinite(nextPollAt) ? this.#clock.fromMachine(nextPollAt) : this.#clock.now());
    this.#setAlarm();
  }

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

  removeAll(isRemoved: (id: string) => boolean): void {
    for (const id of [...this.#entries.keys()]) if (isRemoved(id)) this.remove(id);
  }

  setLimits(limits: SchedulerLimits): void {
    this.#capacity.setLimits(limits, this.#clock.now());
    this.#maxPollsPerLane = maxPollsPerLane(limits.inFlight);
    for (const state of this.#lanes) state.maxConcurrentPolls = this.#maxPollsPerLane;
    this.#setAlarm();
  }

  start(): void {
    this.#isRunning = true;
    this.#setAlarm();
  }

  /** Waits for the polls that are running now. */
  async finishRunning(): Promise<void> {
    await Promise.all(this.#runningPolls);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#alarm.cancel();
    for (const permit of this.#permitQueue.splice(0)) permit.reject(new Error('Polling has stopped.'));
    await this.finishRunning();
  }

  troubles(): LaneTrouble[] {
    return this.#lanes.flatMap(({ lane, isIdle, breaker: { pause } }) =>
      // A lane with no waiting tasks has no probe that could end its pause, so it is not reported.
      pause && !isIdle ? [{ ...pause.trouble, lane: lane.name, since: this.#clock.toMachine(pause.since) }] : [],
    );
  }

  get laneNames(): string[] {
    return this.#lanes.map(({ lane }) => lane.name);
  }

  onPoll(listener: (lane: string, outcome: PollOutcome) => void): void {
    this.#pollListeners.push(listener);
  }

  #run(): void {
    const now = this.#clock.now();
    // First, so that polls end soon.
    while (this.#permitQueue.length > 0 && this.#capacity.nextRequestAt(now) <= now) {
      this.#capacity.recordRequest(now);
      this.#permitQueue.shift()?.resolve();
    }
    while (this.#isRunning && this.#capacity.opensAt(now) <= now) {
      const state = this.#nextLane(now);
      if (!state) break;
      const poll = this.#poll(state, now).finally(() => this.#runningPolls.delete(poll));
      this.#runningPolls.add(poll);
    }
    this.#capacity.update(() => this.#lanes.reduce((all, { queuedPollCount }) => all + queuedPollCount, 0), now);
    this.#setAlarm();
  }

  #setAlarm(): void {
    if (!this.#isRunning) return;
    const now = this.#clock.now();
    if (this.#permitQueue.length > 0) this.#alarm.set(this.#capacity.nextRequestAt(now));
    const next = this.#lanes.reduce((earliest, state) => Math.min(earliest, state.opensAt), Number.POSITIVE_INFINITY);
    this.#alarm.set(Math.max(next, this.#capacity.opensAt(now)));
  }

  /** The permits for the requests of one poll, and how long the poll waited for them. */
  #permits(): { permit: RequestPermit; waitedMs(): number } {
    let requestCount = 0;
    let waitedMs = 0;
    const permit = async (): Promise<void> => {
      requestCount += 1;
      if (requestCount === 1) return;
      if (!this.#isRunning) throw new Error('Polling has stopped.');
      const since = this.#clock.now();
      const next = Promise.withResolvers<void>();
      this.#permitQueue.push(next);
      this.#run();
      await next.promise;
      waitedMs += this.#clock.now() - since;
    };
    return { permit, waitedMs: () => waitedMs };
  }

  #nextLane(now: number): LaneState | undefined {
    for (let step = 0; step < this.#lanes.length; step += 1) {
      const index = (this.#nextLaneIndex + step) % this.#lanes.length;
      const state = this.#lanes[index];
      if (!state || state.opensAt > now) continue;
      this.#nextLaneIndex = index + 1;
      return state;
    }
    return undefined;
  }

  async #poll(state: LaneState, now: number): Promise<void> {
    this.#capacity.begin(now);
    const { entries, isProbe } = state.begin(now);
    const ids = entries.map(({ id }) => id);
    const { permit, waitedMs } = this.#permits();
    const verdicts = await pollLane(state.lane, ids, permit, this.#log);
    const trouble = verdicts.findLast(isTrouble);
    const endedAt = this.#clock.now();
    this.#capacity.end();
    state.end(entries, isProbe, endedAt);
    for (const listener of this.#pollListeners) listener(state.lane.name, trouble?.kind ?? 'answered');
    // The duration of a failed poll says nothing about the other lanes' polls.
    if (!trouble && state.latency.recordLatency(endedAt - now - waitedMs())) this.#slowDown('slowness', state, endedAt);
    // After the stop, results are dropped: the next start polls again.
    if (!this.#isRunning)
      for (const entry of entries.filter((one) => this.#isFollowed(one))) state.wait(entry, endedAt);
    else this.#applyResult(state, entries, { verdicts, trouble, isProbe });
    this.#run();
  }

  /** A poll whose first request succeeded may still fail for some of its tasks. */
  #applyResult(state: LaneState, entries: readonly Entry[], { verdicts, trouble, isProbe }: PollResult): void {
    const answered = entries.flatMap((entry, index) => {
      const verdict = verdicts[index];
      return isTrouble(verdict) ? [] : [{ entry, verdict }];
    });
    if (answered.length > 0) this.#applyVerdicts(state, answered, isProbe);
    if (!trouble) return;
    const failedEntries = entries.filter((_, index) => isTrouble(verdicts[index]));
    this.#applyFailure(state, failedEntries, trouble, isProbe);
  }

  #applyVerdicts(
    state: LaneState,
    answered: readonly { entry: Entry; verdict: Verdict | undefined }[],
    isProbe: boolean,
  ): void {
    const now = this.#clock.now();
    const endedPause = state.breaker.recordResponse(isProbe, now);
    if (endedPause) {
      state.resume(now);
      this.#log.info({ lane: state.lane.name, afterMs: now - endedPause.since }, 'Polling of a lane resumed.');
    }
    // Tasks that were polled together stay together if that saves polls.
    const sharedRandom = state.lane.max > 1 ? this.#random() : undefined;
    const random = sharedRandom === undefined ? this.#random : () => sharedRandom;
    for (const { entry, verdict } of answered) {
      if (!this.#isFollowed(entry)) continue;
      entry.hasJustFailed = false;
      if (verdict === 'done' || verdict === 'lost') this.#entries.delete(entry.id);
      else if (entry.stage === 'asked-again') state.wait(entry, now);
      else state.wait(entry, addJitter(verdict && this.#clock.fromMachine(verdict.again), now, random));
    }
  }

  #applyFailure(state: LaneState, entries: readonly Entry[], trouble: Trouble, isProbe: boolean): void {
    const now = this.#clock.now();
    if (trouble.kind === 'busy') this.#slowDown('complaint', state, now);
    const newPause = state.breaker.recordTrouble(trouble, isProbe, now);
    if (newPause) {
      const { kind } = trouble;
      const forMs = newPause.probeAt - now;
      this.#log.warn({ lane: state.lane.name, kind, forMs }, 'Polling of a lane is paused.');
    }
    const { pause } = state.breaker;
    for (const entry of entries) {
      if (!this.#isFollowed(entry)) continue;
      // After the pause a task that became due in the meantime is the better probe, since one of these tasks may be the cause.
      state.wait(entry, pause ? pause.probeAt : retryAt(trouble, !entry.hasJustFailed, now, this.#random));
      entry.hasJustFailed = true;
    }
  }

  /** Failures in one lane slow all of them down: they share a gateway and a key. */
  #slowDown(cause: SlowdownCause, { lane }: LaneState, now: number): void {
    const perSecond = this.#capacity.slowDown(cause, now);
    if (perSecond !== undefined)
      this.#log.info({ lane: lane.name, why: cause, perSecond }, 'The polling rate was reduced for a while.');
  }

  #toSteadyTime(history: PollHistory | undefined): PollHistory {
    const now = this.#clock.now();
    if (!history) return { since: now, pollCount: 0, lastPollAt: Number.NEGATIVE_INFINITY };
    const { since, pollCount, lastPollAt } = history;
    return { since: this.#clock.fromMachine(since), pollCount, lastPollAt: this.#clock.fromMachine(lastPollAt) };
  }

  /** A task may have been removed, or added again, while it was polled. */
  #isFollowed(entry: Entry): boolean {
    return this.#entries.get(entry.id) === entry;
  }

  #stateOf(lane: Lane): LaneState {
    const existing = this.#lanes.find((state) => state.lane.name === lane.name);
    if (existing) return existing;
    const state = new LaneState(lane, this.#maxPollsPerLane);
    this.#lanes.push(state);
    return state;
  }
}

const maxPollsPerLane = (inFlight: number): number => Math.max(1, Math.floor(inFlight * LANE_SHARE));

interface PollResult {
  verdicts: readonly PollVerdict[];
  trouble: Trouble | undefined;
  isProbe: boolean;
}

type PollVerdict = Verdict | Trouble | undefined;

const isTrouble = (verdict: PollVerdict): verdict is Trouble => typeof verdict === 'object' && 'kind' in verdict;

/** The verdicts in the order of the ids. Never rejects. */
async function pollLane(
  lane: Lane,
  ids: readonly string[],
  permit: RequestPermit,
  log: TasksLog,
): Promise<PollVerdict[]> {
  try {
    const result = await lane.poll(ids, permit);
    if ('kind' in result) return ids.map(() => result);
    const verdicts = ids.map((id) => result.get(id));
    const missingIds = ids.filter((_, index) => !verdicts[index]);
    if (missingIds.length > 0)
      log.debug({ lane: lane.name, missing: missingIds }, 'A poll result left out some of its tasks.');
    return verdicts;
  } catch (error) {
    // A bug in the bot must not end a task: it is polled again, and the stack is in the log.
    log.error({ lane: lane.name, err: error }, 'A poll failed unexpectedly.');
    return ids.map(() => ({ kind: 'unreachable', reason: 'The status check failed unexpectedly.' }));
  }
}
