import type { Clock } from '../../lib/clock.ts';
import { GatewayError, type Snapshot } from '../gateway/index.ts';
import { advance } from './advance.ts';
import type { TaskBook, TasksLog } from './book.ts';
import type { Source } from './kinds/kind.ts';
import type { Before } from './schedule/before.ts';
import type { Experience } from './schedule/experience.ts';
import type { Schedule } from './schedule/schedule.ts';
import type { Lane, Trouble, Verdict } from './scheduler/scheduler.ts';
import { isFollowed, type Task } from './task.ts';
import { notKnown } from './transitions.ts';
import { meaningOf } from './troubles.ts';

/** What an answer says of one task. */
type News = Snapshot | 'not-known' | 'nothing';

interface TrackerParts {
  book: TaskBook;
  schedule: Schedule;
  experience: Experience;
  before: Before;
  clock: Clock;
  log: TasksLog;
}

/** Asks about tasks and makes the answers part of them. When to ask next is only advised here: the scheduler owns time. */
export class Tracker {
  readonly #parts: TrackerParts;
  readonly #lanes = new Map<Source, Lane>();
  /** What the last list left out: it is asked about alone before it counts as missing. */
  readonly #leftOut = new Set<string>();

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  laneOf(source: Source): Lane {
    const known = this.#lanes.get(source);
    if (known) return known;
    const lane = {
      name: source.name,
      most: source.many?.most ?? 1,
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
    for (const [id, one] of news) verdicts.set(id, await this.#take(id, one));
    return verdicts;
  }

  /** One question about each task, and not two: what a list leaves out waits for its next turn to be asked about alone. */
  async #ask(source: Source, tasks: readonly Task[]): Promise<Map<string, News> | Trouble> {
    const listed = tasks.filter(({ id }) => !this.#leftOut.has(id));
    const news = new Map<string, News>();
    const { before } = this.#parts;
    if (source.many && listed.length > 1) {
      await before.mark();
      const answers = await troubled(source.many.ask(listed.map(remoteIdOf)));
      if (isTrouble(answers)) return answers;
      for (const task of listed) {
        // A whole list that makes no sense says nothing about any of its tasks.
        const answer = typeof answers === 'string' ? undefined : answers.get(remoteIdOf(task));
        if (!answer && typeof answers !== 'string') this.#leftOut.add(task.id);
        news.set(task.id, answer ?? 'nothing');
      }
    }
    for (const task of tasks) {
      if (news.has(task.id)) continue;
      await before.mark();
      const answer = await troubled(source.one(remoteIdOf(task)));
      if (isTrouble(answer)) return answer;
      if (answer !== 'not-known') this.#leftOut.delete(task.id);
      news.set(task.id, answer);
    }
    return news;
  }

  async #take(id: string, news: News): Promise<Verdict> {
    const { book, schedule, clock, log } = this.#parts;
    const now = clock.now();
    try {
      const task = await book.change(id, (before) => ({ ...learned(before, news, now), polls: before.polls + 1 }));
      if (isFollowed(task)) return { again: schedule.nextAt(task, now) };
      this.#leftOut.delete(id);
      if (task.state === 'ready') await this.#remember(task);
      return task.failure?.cause === 'forgotten' ? 'lost' : 'done';
    } catch (error) {
      // Not stored is not known: the next answer says it again.
      log.error({ task: id, err: error }, 'What the gateway said of a task could not be stored.');
      const task = book.find(id);
      return task ? { again: schedule.nextAt(task, now) } : 'done';
    }
  }

  /** How long jobs take is learned from those that came to their result; the time in which one waited for words was its member's. */
  async #remember(task: Task): Promise<void> {
    const { accepted, wordsTaken, lastPending, started, ended } = task.times;
    const since = wordsTaken ?? accepted;
    if (since === undefined || ended === undefined) return;
    await this.#parts.experience.learn(task, {
      atLeastMs: Math.max(0, (lastPending ?? since) - since),
      atMostMs: ended - since,
      at: ended,
      ...(started !== undefined && started >= since && { waitedMs: started - since }),
    });
  }
}

function learned(task: Task, news: News, now: number): Task {
  if (news === 'nothing') return task;
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
