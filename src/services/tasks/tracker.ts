import type { Clock } from '../../lib/clock.ts';
import { GatewayError, type Snapshot } from '../gateway/index.ts';
import { advance } from './advance.ts';
import type { TaskBook, TasksLog } from './book.ts';
import type { Source } from './kinds/kind.ts';
import { gapFor } from './schedule.ts';
import type { Lane, Trouble, Verdict } from './scheduler/scheduler.ts';
import { isFollowed, type Task } from './task.ts';
import type { TaskStore } from './task-store.ts';
import { isAlmostForgotten, notKnown, notListed, settledUnseen } from './transitions.ts';
import { meaningOf } from './troubles.ts';

/** What an answer says of one task. */
type News = Snapshot | 'not-known' | 'not-listed' | 'nothing';

/** Of what a list leaves out so many are asked about alone at a time: however many it leaves out, questions stay few. */
const ALONE_AT_ONCE = 2;

interface TrackerParts {
  book: TaskBook;
  store: Pick<TaskStore, 'addDuration'>;
  clock: Clock;
  log: TasksLog;
}

/** Asks about tasks and makes the answers part of them. When to ask next is only advised here: the scheduler owns time. */
export class Tracker {
  readonly #parts: TrackerParts;
  readonly #lanes = new Map<Source, Lane>();
  #turn = 0;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  laneOf(source: Source): Lane {
    const known = this.#lanes.get(source);
    if (known) return known;
    const lane = {
      name: source.name,
      get most() {
        return source.many?.most ?? 1;
      },
      gatherMs: source.many?.gatherMs,
      poll: (ids: readonly string[]) => this.#poll(source, ids),
    };
    this.#lanes.set(source, lane);
    return lane;
  }

  async #poll(source: Source, ids: readonly string[]): Promise<ReadonlyMap<string, Verdict> | Trouble> {
    const verdicts = new Map<string, Verdict>(ids.map((id) => [id, 'done']));
    const tasks = ids.flatMap((id) => this.#parts.book.find(id) ?? []).filter(isFollowed);
    const news = await this.#ask(source, tasks);
    if (!(news instanceof Map)) return news;
    const { clock } = this.#parts;
    const now = clock.now();
    for (const [id, one] of news) verdicts.set(id, await this.#take(id, one, now));
    // Storing hundreds takes its time, which is no part of a gap; and what was asked about together stays together.
    const tookMs = clock.now() - now;
    for (const [id, verdict] of verdicts)
      if (typeof verdict === 'object') verdicts.set(id, { again: verdict.again + tookMs });
    return verdicts;
  }

  async #ask(source: Source, tasks: readonly Task[]): Promise<Map<string, News> | Trouble> {
    const news = new Map<string, News>();
    const isInList = source.many !== undefined && tasks.length > 1;
    if (source.many && isInList) {
      const answers = await troubled(source.many.ask(tasks.map(remoteIdOf)));
      if (isTrouble(answers)) return answers;
      // A whole list that makes no sense says nothing about any of its tasks.
      if (typeof answers === 'string') return new Map(tasks.map(({ id }) => [id, 'nothing']));
      for (const task of tasks) news.set(task.id, answers.get(remoteIdOf(task)) ?? 'not-listed');
    }
    // What a list leaves out is asked about alone before it counts as missing.
    for (const task of isInList ? this.#alone(tasks.filter(({ id }) => news.get(id) === 'not-listed')) : tasks) {
      const answer = await troubled(source.one(remoteIdOf(task)));
      if (isTrouble(answer)) return answer;
      news.set(task.id, answer);
    }
    return news;
  }

  /** Those about which an answer would decide, else whoever's turn it is. */
  #alone(leftOut: readonly Task[]): readonly Task[] {
    if (leftOut.length === 0) return [];
    const now = this.#parts.clock.now();
    const deciding = leftOut.filter((task) => isAlmostForgotten(task, now));
    const pool = deciding.length > 0 ? deciding : leftOut;
    const first = this.#turn % pool.length;
    this.#turn += ALONE_AT_ONCE;
    return [...pool.slice(first), ...pool.slice(0, first)].slice(0, ALONE_AT_ONCE);
  }

  /** Asks about one task alone, for somebody who looks at it. */
  async refresh(source: Source, task: Task): Promise<void> {
    const answer = await troubled(source.one(remoteIdOf(task)));
    if (!isTrouble(answer)) await this.#take(task.id, answer);
  }

  async #take(id: string, news: News, now = this.#parts.clock.now()): Promise<Verdict> {
    const { book, log } = this.#parts;
    try {
      const task = await book.change(id, (before) => {
        return settledUnseen({ ...learned(before, news, now), polls: before.polls + 1 }, now);
      });
      if (isFollowed(task)) return { again: now + gapFor(task, now) };
      if (task.state === 'ready') await this.#remember(task);
      return task.failure?.cause === 'forgotten' ? 'lost' : 'done';
    } catch (error) {
      // Not stored is not known: the next answer says it again.
      log.error({ task: id, err: error }, 'What the gateway said of a task could not be stored.');
      const task = book.find(id);
      return task ? { again: now + gapFor(task, now) } : 'done';
    }
  }

  /** How long jobs take is learned from those that came to their result. */
  async #remember({ durationKey, times }: Task): Promise<void> {
    const { accepted, lastPending, ended } = times;
    if (accepted === undefined || ended === undefined) return;
    const duration = { atLeastMs: (lastPending ?? accepted) - accepted, atMostMs: ended - accepted, at: ended };
    try {
      await this.#parts.store.addDuration(durationKey, duration);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'How long a job took could not be stored.');
    }
  }
}

function learned(task: Task, news: News, now: number): Task {
  if (news === 'nothing') return task;
  if (news === 'not-listed') return notListed(task, now);
  return news === 'not-known' ? notKnown(task, now) : advance(task, news, now);
}

async function troubled<T>(answer: Promise<T>): Promise<T | Trouble | 'not-known' | 'nothing'> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayError) return meaningOf(error);
    throw error;
  }
}

function isTrouble(answer: unknown): answer is Trouble {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && 'reason' in answer;
}

/** A task is followed from the moment its remote id is known. */
function remoteIdOf({ id, remoteId }: Task): string {
  if (remoteId === undefined) throw new Error(`Task ${id} is followed without a remote id.`);
  return remoteId;
}
