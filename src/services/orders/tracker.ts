import type { Clock } from '../../lib/clock.ts';
import { expecting } from '../../lib/expecting.ts';
import { runForTask } from '../../lib/log-subject.ts';
import { GatewayError, type GatewayErrorKind } from '../gateway/errors.ts';
import type { Snapshot } from '../gateway/snapshot.ts';
import { advance } from '../tasks/advance.ts';
import { settlePart } from '../tasks/delivery-state.ts';
import { partitionOf } from '../tasks/homes.ts';
import type { Source } from '../tasks/kind.ts';
import { isFollowed, type Task } from '../tasks/task.ts';
import { bucketIn } from '../tasks/task-id.ts';
import { countMissing, countNotFound, isLastMiss } from '../tasks/transitions.ts';
import type { TaskBook, TasksLog } from './book.ts';
import { type EarlierPolls, MIN_GAP_MS } from './polling/allowance.ts';
import { isTrouble, type Lane, type RequestPermit, type Trouble, type Verdict } from './polling/lane.ts';
import type { DurationHistory } from './polling/learned-schedule.ts';
import type { Schedule } from './polling/schedule.ts';
import type { InlineResults } from './submission/inline-results.ts';

type PollResult = Snapshot | 'not-known' | 'not-listed' | 'nothing';

/** How many of the tasks missing from a list are polled alone at a time, so that there are few polls. */
const MAX_POLLED_ALONE = 2;

interface TrackedTasks {
  book: TaskBook;
  log: TasksLog;
  schedule: Schedule;
  durationHistory: DurationHistory;
  earlierPolls: EarlierPolls;
  inlineResults: InlineResults;
}

/**
 * Polls tasks and applies the responses, for all partitions of a process: a list is requested once for the tasks of all of them. It only suggests when to
 * poll next: the scheduler decides.
 */
export class Tracker {
  readonly #clock: Clock;
  readonly #partitionCount: number;
  readonly #trackedTasks = new Map<number, TrackedTasks>();
  readonly #lanes = new Map<string, Lane>();
  /** Tasks to be polled alone: those missing from the last list, before they count as missing, and those that a member is viewing. */
  readonly #pollAloneIds = new Set<string>();
  readonly #unreadableIds = new Set<string>();
  #turn = 0;

  constructor(clock: Clock, partitionCount: number) {
    this.#clock = clock;
    this.#partitionCount = partitionCount;
  }

  add(partition: number, tracked: TrackedTasks): void {
    this.#trackedTasks.set(partition, tracked);
  }

  /** From now on, responses about the tasks of this partition are ignored. */
  remove(partition: number): void {
    this.#trackedTasks.delete(partition);
  }

  pollAlone(id: string): void {
    this.#pollAloneIds.add(id);
  }

  laneOf(source: Source): Lane {
    const existingLane = this.#lanes.get(source.name);
    if (existingLane) return existingLane;
    const lane = {
      name: source.name,
      get max() {
        return source.batch?.max ?? 1;
      },
      gatherMs: source.batch?.gatherMs,
      poll: (ids: readonly string[], permit: RequestPermit) => this.#poll(source, ids, permit),
    };
    this.#lanes.set(source.name, lane);
    return lane;
  }

  async #poll(
    source: Source,
    ids: readonly string[],
    permit: RequestPermit,
  ): Promise<ReadonlyMap<string, Verdict | Trouble>> {
    const tasks = ids.flatMap((id) => this.#trackedTasksOf(id)?.book.find(id) ?? []).filter(isFollowed);
    const { results, trouble } = await this.#fetchResults(source, tasks, permit);
    const verdicts = new Map<string, Verdict | Trouble>(ids.map((id) => [id, trouble ?? 'done']));
    const now = this.#clock.now();
    // Their changes are stored in one transaction.
    const changes = Array.from(results, async ([id, one]) => {
      verdicts.set(id, await runForTask(id, () => this.#applyTo(id, one, now)));
    });
    await Promise.all(changes);
    // Storing hundreds of tasks takes time, which must not count as part of the interval. Tasks that were polled together stay together.
    const tookMs = this.#clock.now() - now;
    for (const [id, verdict] of verdicts)
      if (typeof verdict === 'object' && 'again' in verdict) verdicts.set(id, { again: verdict.again + tookMs });
    return verdicts;
  }

  /**
   * Polls each task once. A task that is missing from a list is polled alone on its next turn. The results are kept if a later request fails, and
   * one task that cannot be polled does not keep the others from being polled.
   */
  async #fetchResults(
    source: Source,
    tasks: readonly Task[],
    permit: RequestPermit,
  ): Promise<{ results: Map<string, PollResult>; trouble?: Trouble }> {
    const results = new Map<string, PollResult>();
    // The scheduler repeats a poll that failed.
    const options = { attempts: 1, beforeRequest: permit };
    let trouble: Trouble | undefined;
    const polledAlone = new Set(source.batch ? this.#chooseAlone(tasks) : tasks);
    const listedTasks = tasks.filter((task) => !polledAlone.has(task));
    if (source.batch && listedTasks.length > 1) {
      await this.#markPoll(listedTasks);
      const snapshots = await source.batch.pollMany(listedTasks.map(remoteIdOf), options).catch(catchPollError);
      if (isTrouble(snapshots)) return { results, trouble: snapshots };
      for (const task of listedTasks) results.set(task.id, this.#resultFromList(task, snapshots));
    }
    for (const task of tasks) {
      if (results.has(task.id)) continue;
      await this.#markPoll([task]);
      const result = await runForTask(task.id, () =>
        source.endpoint.get(remoteIdOf(task), options).catch(catchPollError),
      );
      // The next list may contain a task that cannot be polled alone.
      if (result !== 'not-known') this.#pollAloneIds.delete(task.id);
      if (!isTrouble(result)) results.set(task.id, result);
      else {
        trouble = result;
        // The gateway has asked for fewer polls, or refuses them.
        if (result.kind !== 'unreachable') break;
      }
    }
    return { results, ...(trouble && { trouble }) };
  }

  async #markPoll(tasks: readonly Task[]): Promise<void> {
    const polledPartitions = new Set(tasks.map(({ id }) => this.#trackedTasksOf(id)));
    await Promise.all([...polledPartitions].map((tracked) => tracked?.earlierPolls.markPoll()));
  }

  /** Undefined once the partition of the task has been released. */
  #trackedTasksOf(id: string): TrackedTasks | undefined {
    return this.#trackedTasks.get(partitionOf(bucketIn(id), this.#partitionCount));
  }

  /** A malformed list says nothing about any of its tasks. */
  #resultFromList({ id, ...task }: Task, snapshots: ReadonlyMap<string, Snapshot> | string): PollResult {
    if (typeof snapshots === 'string') return 'nothing';
    const snapshot = snapshots.get(remoteIdOf({ id, ...task }));
    if (snapshot) this.#pollAloneIds.delete(id);
    else this.#pollAloneIds.add(id);
    return snapshot ?? 'not-listed';
  }

  /** Chooses among the tasks that were missing from a list: returns those that would fail with one more such response, or otherwise the next in turn. */
  #chooseAlone(tasks: readonly Task[]): readonly Task[] {
    const candidates = tasks.filter(({ id }) => this.#pollAloneIds.has(id));
    if (candidates.length === 0) return [];
    const now = this.#clock.now();
    const lastMisses = candidates.filter((task) => isLastMiss(task, now));
    const pool = lastMisses.length > 0 ? lastMisses : candidates;
    const first = this.#turn % pool.length;
    this.#turn += MAX_POLLED_ALONE;
    return [...pool.slice(first), ...pool.slice(0, first)].slice(0, MAX_POLLED_ALONE);
  }

  async #applyTo(id: string, result: PollResult, now: number): Promise<Verdict> {
    const tracked = this.#trackedTasksOf(id);
    if (!tracked) return 'done';
    const { book, schedule, inlineResults, durationHistory, log } = tracked;
    try {
      // This has to happen before the end of the task is announced and shown.
      if (typeof result === 'object') inlineResults.keep(id, result);
      const apply = (current: Task) =>
        settlePart({ ...applyResult(current, result, now), polls: current.polls + 1 }, now);
      // The next poll of a job that has not ended says the same.
      const task = await book.change(id, apply, { isRepeatable: isFollowed });
      durationHistory.notePrediction(task, now);
      if (isFollowed(task))
        return { again: this.#isFirstUnreadable(id, result) ? now + MIN_GAP_MS : schedule(task, now) };
      this.#pollAloneIds.delete(id);
      this.#unreadableIds.delete(id);
      if (task.state === 'ready') await learnDuration(task, durationHistory);
      return 'done';
    } catch (error) {
      // A change that could not be stored is repeated by the next response.
      log.error({ task: id, err: error }, 'A poll result could not be stored.');
      const task = book.find(id);
      return task ? { again: schedule(task, now) } : 'done';
    }
  }

  /** After one unreadable response the task is polled again soon, after a second one as usual. */
  #isFirstUnreadable(id: string, result: PollResult): boolean {
    const isFirst = result === 'nothing' && !this.#unreadableIds.has(id);
    if (result === 'nothing') this.#unreadableIds.add(id);
    else this.#unreadableIds.delete(id);
    return isFirst;
  }
}

/** Only successful jobs count. Waiting for a prompt is the member's time, so the duration starts after it. */
async function learnDuration(task: Task, durationHistory: DurationHistory): Promise<void> {
  const { accepted, wordsTaken, lastPending, started, ended } = task.times;
  const since = wordsTaken ?? accepted;
  if (since === undefined || ended === undefined) return;
  await durationHistory.learn(task, {
    atLeastMs: Math.max(0, (lastPending ?? since) - since),
    atMostMs: ended - since,
    at: ended,
    ...(started !== undefined && started >= since && { waitedMs: started - since }),
  });
}

function applyResult(task: Task, result: PollResult, now: number): Task {
  if (result === 'nothing') return task;
  if (result === 'not-listed') return countMissing(task, now);
  return result === 'not-known' ? countNotFound(task, now) : advance(task, result, now);
}

function remoteIdOf({ id, remoteId }: Task): string {
  if (remoteId === undefined) throw new Error(`Task ${id} is followed without a remote id.`);
  return remoteId;
}

/** What a failed poll means: the gateway does not know the task, nothing is known about this task, or the whole lane fails. */
const ERROR_MEANINGS: Readonly<Record<GatewayErrorKind, 'not-known' | 'nothing' | Trouble['kind']>> = {
  'not-found': 'not-known',
  // A malformed response may concern only this task. The task waits for its next turn and does not delay the others.
  malformed: 'nothing',
  invalid: 'nothing',
  'rate-limited': 'busy',
  unauthorized: 'refused',
  quota: 'refused',
  forbidden: 'refused',
  'not-offered': 'refused',
  unavailable: 'unreachable',
  unreachable: 'unreachable',
};

export function pollErrorMeaning(error: GatewayError): 'not-known' | 'nothing' | Trouble {
  const meaning = ERROR_MEANINGS[error.kind];
  if (meaning === 'not-known' || meaning === 'nothing') return meaning;
  return { kind: meaning, retryAfterMs: error.retryAfterMs, reason: error.reason };
}

const catchPollError = expecting(GatewayError, pollErrorMeaning);
