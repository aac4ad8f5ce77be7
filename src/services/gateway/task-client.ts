import { z } from 'zod';
import { isRecord, type Json } from '../../lib/exact-json.ts';
import { nameIn } from '../../lib/loggable.ts';
import { GatewayError, malformed } from './errors.ts';
import type { GatewayHttp, Question } from './http.ts';
import { asList, firstAt, places } from './read/places.ts';
import { type ReadingNotices, readSnapshot, readSubmission } from './read/reader.ts';
import type { Snapshot, Submission } from './read/snapshot.ts';
import type { Family } from './read/table.ts';
import { checked, taskId } from './schemas.ts';
import type { GatewaySettings } from './settings.ts';

/** A family of endpoints that make tasks. */
export class TaskResource {
  protected readonly tasks: TaskClient;

  constructor(tasks: TaskClient) {
    this.tasks = tasks;
  }
}

const LISTS = places('data', 'data.data', 'tasks');

/** More words than any gateway has: limits what a hostile one can make us remember. */
const MOST_WORDS = 200;

/** Many times the size of a batch: every record that is not a task costs an error. */
const MOST_RECORDS = 1_000;

const manyIds = z.array(taskId).min(1, 'no task id was given');

/** Submits and polls tasks of any family; logs each unknown status word once. */
export class TaskClient {
  readonly http: GatewayHttp;
  readonly settings: GatewaySettings;
  readonly #known = new Set<string>();
  readonly #notices: ReadingNotices;

  constructor(http: GatewayHttp, settings: GatewaySettings) {
    this.http = http;
    this.settings = settings;
    const { log } = http.tools;
    this.#notices = {
      unknownWord: (family, word) => {
        const name = `${family}:${word}`;
        if (this.#known.has(name) || this.#known.size >= MOST_WORDS) return;
        this.#known.add(name);
        // It may be any text, even a prompt.
        const told = nameIn(word.replaceAll(' ', '_')) ?? `${word.length} letters`;
        const facts = { family, word: told };
        log.warn(facts, 'Unknown gateway status word, treated as still running.');
      },
      foundByWalking: (family, remoteId) => {
        const facts = { family, remoteId: nameIn(remoteId) };
        log.warn(facts, 'A result was at no known place; found by searching the whole response.');
      },
    };
  }

  async submit(family: Family, order: Question & { body: unknown }): Promise<Submission> {
    return readSubmission(family, await this.http.submit(order));
  }

  async get(family: Family, path: string, id: string, options?: Partial<Question>): Promise<Snapshot> {
    return this.read(family, await this.answerAbout(path, id, options));
  }

  /** Many tasks in one request. Unknown tasks are missing from the response, and its order has no meaning. */
  async getMany(family: Family, path: string, ids: readonly string[], options?: Partial<Question>) {
    return this.readMany(family, await this.http.read({ path, body: { ids: checked(manyIds, ids) }, ...options }));
  }

  /** Polls a task. `{id}` in the path stands for its id. */
  answerAbout(path: string, id: string, options?: Partial<Question>): Promise<Json> {
    const name = encodeURIComponent(checked(taskId, id));
    return this.http.read({ path: path.replace('{id}', () => name), missing: 'not-found', ...options });
  }

  read(family: Family, answer: unknown): Snapshot {
    const { baseUrl: base, tools } = this.http;
    const place = { base, imgxPath: this.settings.paths.imgx, now: tools.clock.now() };
    const snapshot = readSnapshot(family, answer, place, this.#notices);
    const { failure } = snapshot;
    if (failure?.reason === undefined) return snapshot;
    return { ...snapshot, failure: { ...failure, reason: this.http.clean(failure.reason) } };
  }

  /** Reads a batch by id: a list under `data`, a bare list, or nothing at all if no task is known. */
  readMany(family: Family, answer: unknown): Map<string, Snapshot> {
    const list = asList(answer) ?? firstAt(answer, LISTS, asList);
    const isNothing = isRecord(answer) && (answer.data === null || answer.data === '');
    if (!list && !isNothing) throw malformed('The gateway’s response is not a list of tasks.');
    const snapshots = new Map<string, Snapshot>();
    for (const record of list?.slice(0, MOST_RECORDS) ?? []) {
      const snapshot = this.#readOneOfMany(family, record);
      if (snapshot?.remoteId !== undefined) snapshots.set(snapshot.remoteId, snapshot);
    }
    return snapshots;
  }

  /** A record that is not a task does not hide the others; it is treated like an unknown task. */
  #readOneOfMany(family: Family, record: unknown): Snapshot | undefined {
    try {
      return this.read(family, record);
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
  }
}
