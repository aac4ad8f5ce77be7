import { z } from 'zod';
import type { PageQuery, TaskPage } from '../../orders/task-store.ts';
import { isKind, type KindSpecs, type TaskKind } from '../../tasks/kind-spec.ts';
import type { Task } from '../../tasks/task.ts';
import { summaryOf, type TaskSummary, taskSummary } from '../../tasks/task-summary.ts';
import { isTaskType, type TaskType } from '../../tasks/task-type.ts';
import type { Change } from '../backend.ts';
import type { Namespace } from '../namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { isExpired, type TaskRows } from './task-rows.ts';

/** Enough for most pages of ten, of which nothing else is read. */
const FIRST_BATCH_SIZE = 20;

/** Sorts after every character that a task's id may start with. */
const AFTER_IDS = '~';

const keyIn = (list: PageQuery['of'], id: string): string =>
  'memberId' in list ? `member:${list.memberId}:${id}` : `server:${list.guildId}:${id}`;

type ListedTask = Pick<Task, 'id' | 'requesterId' | 'guildId'>;

export const summaryKeys = ({ id, requesterId: memberId, guildId }: ListedTask): string[] =>
  [{ memberId }, ...(guildId === undefined ? [] : [{ guildId }])].map((list) => keyIn(list, id));

export const taskIdIn = (summaryKey: string): string => summaryKey.slice(summaryKey.lastIndexOf(':') + 1);

export const isSameSummary = (one: TaskSummary, other: TaskSummary): boolean =>
  JSON.stringify(taskSummary.parse(one)) === JSON.stringify(taskSummary.parse(other));

export const summaryRows = (namespace: Namespace, quarantine: Quarantine, specs: KindSpecs): Rows<TaskSummary> => {
  const schema = taskSummary.extend({
    kind: z.custom<TaskKind>((name) => isKind(name, specs)),
    type: z.custom<TaskType>((name) => isTaskType(name, specs)),
  });
  return new Rows(namespace, quarantine, parseWith(schema));
};

/** The lists of members and servers, with a row for each task in each of its lists. */
export class SummaryIndex {
  readonly #namespace: Namespace;
  readonly #rows: Rows<TaskSummary>;
  readonly #specs: KindSpecs;

  constructor(namespace: Namespace, quarantine: Quarantine, specs: KindSpecs) {
    this.#namespace = namespace;
    this.#specs = specs;
    this.#rows = summaryRows(namespace, quarantine, specs);
  }

  /** The changes that list a task. */
  rows(summary: TaskSummary, ttlMs?: number): Change[] {
    return summaryKeys(summary).map((key) => this.#namespace.row(key, summary, ttlMs));
  }

  removals(task: ListedTask): Change[] {
    return summaryKeys(task).map(this.#namespace.removal);
  }

  put(summary: TaskSummary, ttlMs?: number): Promise<void> {
    return this.#namespace.write(this.rows(summary, ttlMs));
  }

  remove(task: ListedTask): Promise<void> {
    return this.#namespace.write(this.removals(task), 'delete');
  }

  /** Yields a list in batches, newest first, without most of the summaries that do not match. */
  async *newestFirst({ of, before = AFTER_IDS, ...query }: Omit<PageQuery, 'max'>): AsyncGenerator<TaskSummary[]> {
    const range = { after: keyIn(of, ''), before: keyIn(of, before), isReversed: true, max: FIRST_BATCH_SIZE };
    for await (const batch of this.#namespace.batches(range, mayMatch(query))) {
      const summaries: TaskSummary[] = [];
      for (const [key, value] of batch) {
        const row = this.#rows.read(key, value);
        if (typeof row !== 'string') summaries.push(row);
        else await this.#rows.get(key);
      }
      yield summaries;
    }
  }

  async page({ max, states, ...query }: PageQuery, rows: TaskRows, now: number): Promise<TaskPage> {
    const matches = createMatcher(query);
    const isHidden = ({ kind, settledAt }: TaskSummary): boolean =>
      // Another task represents this one in lists.
      (query.withoutParts && this.#specs[kind].traits.isListedByParent) || isExpired(settledAt, now);
    const found: TaskSummary[] = [];
    for await (const batch of this.newestFirst({ states, ...query })) {
      const summaries = batch.filter((summary) => matches(summary) && !isHidden(summary));
      const current = await withCurrentState(summaries, rows);
      found.push(...current.filter(({ state }) => states === undefined || states.includes(state)));
      // One more than requested shows whether there is another page.
      if (found.length > max) break;
    }
    const summaries = found.slice(0, max);
    return { summaries, next: found.length > max ? summaries.at(-1)?.id : undefined };
  }
}

const termsIn = (words = ''): string[] => words.toLowerCase().split(/\s+/).filter(Boolean);

/** Says of a stored text whether its summary may match. Parsing takes most of the time in a long list. */
function mayMatch({ words, states }: Pick<PageQuery, 'words' | 'states'>) {
  const terms = termsIn(words).map((term) => JSON.stringify(term).slice(1, -1));
  const stateFields = states?.map((state) => `"state":"${state}"`);
  return (text: string): boolean => {
    const lowerCaseText = terms.length > 0 ? text.toLowerCase() : '';
    return (
      terms.every((term) => lowerCaseText.includes(term)) &&
      // The state of an unsettled task is read from the task.
      (!stateFields || !text.includes('"settledAt":') || stateFields.some((field) => text.includes(field)))
    );
  };
}

/** Matches by properties that never change in a task, so that its summary is enough. */
function createMatcher(query: Omit<PageQuery, 'max' | 'states'>) {
  const { kinds, words, withoutPrivate = false } = query;
  const terms = termsIn(words);
  return (summary: TaskSummary): boolean => {
    if (kinds && !kinds.includes(summary.kind)) return false;
    if (withoutPrivate && summary.isPrivate) return false;
    const text = summary.summary.toLowerCase();
    return terms.every((part) => text.includes(part));
  };
}

/** An unsettled summary may be older than its task, or have no task after a crash; the task is authoritative. */
async function withCurrentState(summaries: readonly TaskSummary[], rows: TaskRows): Promise<TaskSummary[]> {
  const unsettledIds = summaries.filter(({ settledAt }) => settledAt === undefined).map(({ id }) => id);
  const tasks = await rows.find(unsettledIds);
  return summaries.flatMap((summary) => {
    if (summary.settledAt !== undefined) return [summary];
    const task = tasks.get(summary.id);
    return task ? [summaryOf(task)] : [];
  });
}
