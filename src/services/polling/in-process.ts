import type { Clock } from '../../lib/clock.ts';
import { Alarm } from './alarm.ts';
import type { Asked } from './allowance.ts';
import type { SchedulerLimits } from './budget.ts';
import { Entry } from './entry.ts';
import type { Fall } from './pace.ts';
import { afterTrouble, jittered } from './patience.ts';
import { ask, type SchedulerLog } from './question.ts';
import { Road } from './road.ts';
import { Room } from './room.ts';
import type { Followed, Lane, LaneTrouble, Scheduler, Trouble, Verdict } from './scheduler.ts';
import { SteadyClock } from './steady-clock.ts';

/** Connections bound what is under way: fewer than the client holds, for members' orders need some too. */
const DEFAULT_LIMITS: SchedulerLimits = { perSecond: 50, inFlight: 24 };
/** Of all questions at once, so much may be one lane's. */
const LANE_SHARE = 0.75;

interface SchedulerParts {
  clock: Clock;
  random: () => number;
  log: SchedulerLog;
  limits?: Partial<SchedulerLimits> | undefined;
}

/** Follows every task from within this process. The store has the truth: after a restart everything is added again. */
export class InProcessScheduler implements Scheduler {
  readonly #clock: SteadyClock;
  readonly #random: () => number;
  readonly #log: SchedulerLog;
  readonly #room: Room;
  readonly #share: number;
  readonly #alarm: Alarm;
  readonly #entries = new Map<string, Entry>();
  readonly #roads: Road[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #isRunning = false;
  #turn = 0;

  constructor({ clock, random, log, limits }: SchedulerParts) {
    const { perSecond, inFlight } = { ...DEFAULT_LIMITS, ...limits };
    this.#clock = new SteadyClock(clock);
    this.#random = random;
    this.#log = log;
    this.#room = new Room({ perSecond, inFlight });
    this.#share = Math.max(1, Math.floor(inFlight * LANE_SHARE));
    this.#alarm = new Alarm(this.#clock, () => this.#run());
  }

  get size(): number {
    return this.#entries.size;
  }

  get pressure(): number {
    return this.#room.pressure;
  }

  add({ id, lane, group, at, asked }: Followed): void {
    const known = this.#entries.get(id)?.asked;
    this.remove(id);
    const entry = new Entry(id, group, this.#roadOf(lane), known ?? this.#steady(asked));
    this.#entries.set(id, entry);
    entry.road.wait(entry, Number.isFinite(at) ? this.#clock.steady(at) : this.#clock.now());
    this.#setAlarm();
  }

  hint(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.road.hurry(entry, this.#clock.now());
    this.#setAlarm();
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    entry.road.drop(entry);
  }

  start(): void {
    this.#isRunning = true;
    this.#setAlarm();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#alarm.cancel();
    await Promise.all(this.#underWay);
  }

  troubles(): LaneTrouble[] {
    return this.#roads.flatMap(({ lane, isIdle, breaker: { pause } }) =>
      // Where nothing waits any more, nobody finds out whether the trouble is over: it is no news then.
      pause && !isIdle ? [{ ...pause.trouble, lane: lane.name, since: this.#clock.told(pause.since) }] : [],
    );
  }

  /** Asks whatever may be asked now. */
  #run(): void {
    const now = this.#clock.now();
    while (this.#isRunning && this.#room.opensAt(now) <= now) {
      const road = this.#nextRoad(now);
      if (!road) break;
      const question = this.#ask(road, now).finally(() => this.#underWay.delete(question));
      this.#underWay.add(question);
    }
    this.#room.follow(() => this.#roads.reduce((all, { queued }) => all + queued, 0), now);
    this.#setAlarm();
  }

  #setAlarm(): void {
    if (!this.#isRunning) return;
    const next = this.#roads.reduce((earliest, road) => Math.min(earliest, road.opensAt), Number.POSITIVE_INFINITY);
    this.#alarm.set(Math.max(next, this.#room.opensAt(this.#clock.now())));
  }

  /** Lanes take turns. */
  #nextRoad(now: number): Road | undefined {
    for (let step = 0; step < this.#roads.length; step += 1) {
      const turn = (this.#turn + step) % this.#roads.length;
      const road = this.#roads[turn];
      if (!road || road.opensAt > now) continue;
      this.#turn = turn + 1;
      return road;
    }
    return undefined;
  }

  async #ask(road: Road, now: number): Promise<void> {
    this.#room.begin(now);
    const { entries, isProbe } = road.begin(now);
    const ids = entries.map(({ id }) => id);
    const answer = await ask(road.lane, ids, this.#log);
    const then = this.#clock.now();
    this.#room.end();
    road.end(entries, isProbe, then);
    if (road.latency.isSlowWith(then - now)) this.#slowDown('slowness', road, then);
    if (!this.#isRunning) this.#takeBack(road, entries);
    else if (Array.isArray(answer)) this.#takeVerdicts(road, entries, answer, isProbe);
    else this.#takeTrouble(road, entries, answer, isProbe);
    this.#run();
  }

  /** What arrives after the stop is dropped: the store has the truth. */
  #takeBack(road: Road, entries: readonly Entry[]): void {
    const now = this.#clock.now();
    for (const entry of entries) if (this.#isFollowed(entry)) road.wait(entry, now);
  }

  #takeVerdicts(
    road: Road,
    entries: readonly Entry[],
    verdicts: readonly (Verdict | undefined)[],
    isProbe: boolean,
  ): void {
    const now = this.#clock.now();
    const ended = road.breaker.answered(isProbe, now);
    if (ended) {
      road.resume(now);
      this.#log.info({ lane: road.lane.name, afterMs: now - ended.since }, 'A lane to the gateway is open again.');
    }
    // What was asked about together stays together, where that spares questions.
    const chance = road.lane.most > 1 ? this.#random() : undefined;
    const random = chance === undefined ? this.#random : () => chance;
    for (const [place, entry] of entries.entries()) {
      if (!this.#isFollowed(entry)) continue;
      const verdict = verdicts[place];
      if (verdict === 'done' || verdict === 'lost') this.#entries.delete(entry.id);
      else if (entry.stage === 'asked-again') road.wait(entry, now);
      else road.wait(entry, jittered(verdict && this.#clock.steady(verdict.again), now, random));
    }
  }

  #takeTrouble(road: Road, entries: readonly Entry[], trouble: Trouble, isProbe: boolean): void {
    const now = this.#clock.now();
    if (trouble.kind === 'busy') this.#slowDown('complaint', road, now);
    const began = road.breaker.troubled(trouble, isProbe, now);
    if (began) {
      const { kind } = trouble;
      const forMs = began.until - now;
      this.#log.warn({ lane: road.lane.name, kind, forMs }, 'A lane to the gateway is paused.');
    }
    const { pause } = road.breaker;
    for (const entry of entries) {
      if (!this.#isFollowed(entry)) continue;
      // Not before the end of the pause: what has come in the meantime is the better probe, for it may be the task that fails.
      road.wait(entry, pause ? pause.until : afterTrouble(trouble, now, this.#random));
    }
  }

  /** One lane's trouble is a sign for all: they share a gateway and a key. */
  #slowDown(why: Fall, { lane }: Road, now: number): void {
    const perSecond = this.#room.narrow(why, now);
    if (perSecond !== undefined)
      this.#log.info({ lane: lane.name, why, perSecond }, 'Fewer questions a second for a while.');
  }

  /** Since when and how often, in this clock's time. */
  #steady(asked: Asked | undefined): Asked {
    const now = this.#clock.now();
    if (!asked) return { since: now, times: 0, last: Number.NEGATIVE_INFINITY };
    const { since, times, last } = asked;
    return { since: this.#clock.steady(since), times, last: this.#clock.steady(last) };
  }

  /** A task may have been removed, or added anew, while it was asked about. */
  #isFollowed(entry: Entry): boolean {
    return this.#entries.get(entry.id) === entry;
  }

  #roadOf(lane: Lane): Road {
    const known = this.#roads.find((road) => road.lane.name === lane.name);
    if (known) return known;
    const road = new Road(lane, this.#share);
    this.#roads.push(road);
    return road;
  }
}
