import type { Clock } from '../../lib/clock.ts';
import { aboutTask } from '../../lib/log-subject.ts';
import { GatewayError, type GatewayErrorKind, type Snapshot } from '../gateway/index.ts';
import { type EarlierPolls, MIN_GAP_MS } from '../polling/allowance.ts';
import type { DurationHistory } from '../polling/learned-schedule.ts';
import type { Schedule } from '../polling/schedule.ts';
import type { Lane, Trouble, Verdict } from '../polling/scheduler.ts';
import { advance } from './advance.ts';
import { settlePart } from './delivery-state.ts';
import { partitionOf } from './homes.ts';
import type { InlineResults } from './inline-results.ts';
import type { Source } from './kind.ts';
import type { OrdersParts } from './orders.ts';
import { isFollowed, type Task } from './task.ts';
import { bucketIn } from './task-id.ts';
import { countMissing, countNotFound, isLastMiss } from './transitions.ts';

type News = Snapshot | 'not-known' | 'not-listed' | 'nothing';

/** How many of the tasks missing from a list are polled alone at a time, so that there are few polls. */
const ALONE_AT_ONCE = 2;

interface TrackerParts {
  clock: Clock;
  /** How many partitions the store has. */
  partitionCount: number;
}

/** The tasks of one partition, and what following them needs. */
interface TrackedTasks extends Pick<OrdersParts, 'book' | 'log'> {
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
  readonly #parts: TrackerParts;
  /** The tracked tasks, by partition. */
  readonly #tracked = new Map<number, TrackedTasks>();
  /** The lanes, by the name of their source. */
  readonly #lanes = new Map<string, Lane>();
  /** Tasks to be polled alone: those missing from the last list, before they count as missing, and those that a member is viewing. */
  readonly #leftOut = new Set<string>();
  /** Tasks whose last response could not be read. */
  readonly #unread = new Set<string>();
  #turn = 0;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  add(partition: number, tracked: TrackedTasks): void {
    this.#tracked.set(partition, tracked);
  }

  /** From here on, responses about the tasks of this partition change nothing. */
  remove(partition: number): void {
    this.#tracked.delete(partition);
  }

  pollAlone(id: string): void {
    this.#leftOut.add(id);
  }

  laneOf(source: Source): Lane {
    const known = this.#lanes.get(source.name);
    if (known) return known;
    const lane = {
      name: source.name,
      get max() {
        return source.many?.max ?? 1;
      },
      gatherMs: source.many?.gatherMs,
      poll: (ids: readonly string[]) => this.#poll(source, ids),
    };
    this.#lanes.set(source.name, lane);
    return lane;
  }

  async #poll(source: Source, ids: readonly string[]): Promise<ReadonlyMap<string, Verdict> | Trouble> {
    const verdicts = new Map<string, Verdict>(ids.map((id) => [id, 'done']));
    const tasks = ids.flatMap((id) => this.#trackedWith(id)?.book.find(id) ?? []).filter(isFollowed);
    const news = await this.#fetchNews(source, tasks);
    if (!(news instanceof Map)) return news;
    const { clock } = this.#parts;
    const now = clock.now();
    for (const [id, one] of news) verdicts.set(id, await aboutTask(id, () => this.#applyTo(id, one, now)));
    // Storing hundreds of tasks takes time, which must not count as part of the interval. Tasks that were polled together stay together.
    const tookMs = clock.now() - now;
    for (const [id, verdict] of verdicts)
      if (typeof verdict === 'object') verdicts.set(id, { again: verdict.again + tookMs });
    return verdicts;
  }

  /** Polls each task once. A task that is missing from a list is polled alone on its next turn. */
  async #fetchNews(source: Source, tasks: readonly Task[]): Promise<Map<string, News> | Trouble> {
    const news = new Map<string, News>();
    const alone = new Set(source.many ? this.#chooseAlone(tasks) : tasks);
    const listed = tasks.filter((task) => !alone.has(task));
    if (source.many && listed.length > 1) {
      await this.#markPoll(listed);
      const answers = await orTrouble(source.many.pollMany(listed.map(remoteIdOf)));
      if (isTrouble(answers)) return answers;
      for (const task of listed) news.set(task.id, this.#listedAs(task, answers));
    }
    for (const task of tasks) {
      if (news.has(task.id)) continue;
      await this.#markPoll([task]);
      const answer = await aboutTask(task.id, () => orTrouble(source.pollOne(remoteIdOf(task))));
      if (isTrouble(answer)) return answer;
      if (answer !== 'not-known') this.#leftOut.delete(task.id);
      news.set(task.id, answer);
    }
    return news;
  }

  async #markPoll(tasks: readonly Task[]): Promise<void> {
    const polled = new Set(tasks.map(({ id }) => this.#trackedWith(id)));
    await Promise.all([...polled].map((tracked) => tracked?.earlierPolls.markPoll()));
  }

  /** Undefined once the partition of the task has been released. */
  #trackedWith(id: string): TrackedTasks | undefined {
    return this.#tracked.get(partitionOf(bucketIn(id), this.#parts.partitionCount));
  }

  /** A malformed list says nothing about any of its tasks. */
  #listedAs({ id, ...task }: Task, answers: ReadonlyMap<string, Snapshot> | string): News {
    if (typeof answers === 'string') return 'nothing';
    const answer = answers.get(remoteIdOf({ id, ...task }));
    if (answer) this.#leftOut.delete(id);
    else this.#leftOut.add(id);
    return answer ?? 'not-listed';
  }

  /** Chooses among the tasks that were missing from a list: returns those that would fail with one more such response, or otherwise the next in turn. */
  #chooseAlone(tasks: readonly Task[]): readonly Task[] {
    const leftOut = tasks.filter(({ id }) => this.#leftOut.has(id));
    if (leftOut.length === 0) return [];
    const now = this.#parts.clock.now();
    const deciding = leftOut.filter((task) => isLastMiss(task, now));
    const pool = deciding.length > 0 ? deciding : leftOut;
    const first = this.#turn % pool.length;
    this.#turn += ALONE_AT_ONCE;
    return [...pool.slice(first), ...pool.slice(0, first)].slice(0, ALONE_AT_ONCE);
  }

  async #applyTo(id: string, news: News, now: number): Promise<Verdict> {
    const tracked = this.#trackedWith(id);
    if (!tracked) return 'done';
    const { book, schedule, inlineResults, durationHistory, log } = tracked;
    try {
      // This has to happen before the end of the task is announced and shown.
      if (typeof news === 'object') inlineResults.keep(id, news);
      const task = await book.change(id, (before) =>
        settlePart({ ...applyNews(before, news, now), polls: before.polls + 1 }, now),
      );
      if (isFollowed(task))
        return { again: this.#isFirstUnread(id, news) ? now + MIN_GAP_MS : schedule.nextAt(task, now) };
      this.#leftOut.delete(id);
      this.#unread.delete(id);
      if (task.state === 'ready') await learnDuration(task, durationHistory);
      return task.failure?.cause === 'forgotten' ? 'lost' : 'done';
    } catch (error) {
      // A change that could not be stored is repeated by the next response.
      log.error({ task: id, err: error }, 'A poll result could not be stored.');
      const task = book.find(id);
      return task ? { again: schedule.nextAt(task, now) } : 'done';
    }
  }

  /** After one unreadable response the task is polled again soon, after a second one as usual. */
  #isFirstUnread(id: string, news: News): boolean {
    const isFirst = news === 'nothing' && !this.#unread.has(id);
    if (news === 'nothing') this.#unread.add(id);
    else this.#unread.delete(id);
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

function applyNews(task: Task, news: News, now: number): Task {
  if (news === 'nothing') return task;
  if (news === 'not-listed') return countMissing(task, now);
  return news === 'not-known' ? countNotFound(task, now) : advance(task, news, now);
}

async function orTrouble<T>(answer: Promise<T>): Promise<T | Trouble | 'not-known' | 'nothing'> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayError) return pollErrorMeaning(error);
    throw error;
  }
}

function isTrouble(answer: unknown): answer is Trouble {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && 'reason' in answer;
}

function remoteIdOf({ id, remoteId }: Task): string {
  if (remoteId === undefined) throw new Error(`Task ${id} is followed without a remote id.`);
  return remoteId;
}

/** What a failed poll means: the gateway does not know the task, nothing is known about this task, or the whole lane fails. */
const MEANINGS: Readonly<Record<GatewayErrorKind, 'not-known' | 'nothing' | Trouble['kind']>> = {
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
  const meaning = MEANINGS[error.kind];
  if (meaning === 'not-known' || meaning === 'nothing') return meaning;
  return { kind: meaning, retryAfterMs: error.retryAfterMs, reason: error.message };
}
