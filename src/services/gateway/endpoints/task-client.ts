import { z } from 'zod';
import { isRecord, type Json } from '../../../lib/exact-json.ts';
import { safeName } from '../../../lib/loggable.ts';
import { RecentMap } from '../../../lib/recent-map.ts';
import { GatewayError, malformedError } from '../errors.ts';
import type { GatewayHttp, GatewayRequest } from '../http.ts';
import { asList, firstAt, places } from '../places.ts';
import { type ReaderWarnings, readSnapshot, readSubmission } from '../read/reader.ts';
import { findListedTasks } from '../read/search/job-id.ts';
import { collectRequestWords } from '../read/search/results.ts';
import type { Family } from '../read/table.ts';
import { taskId, validate } from '../schemas.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Snapshot, Submission } from '../snapshot.ts';

/** A family of endpoints that create tasks. */
export class TaskResource {
  protected readonly tasks: TaskClient;

  constructor(tasks: TaskClient) {
    this.tasks = tasks;
  }
}

const LIST_PLACES = places('data', 'data.data', 'tasks');

/** More status words than any gateway uses; limits how many a hostile gateway can make the bot remember. */
const MAX_LOGGED_WORDS = 200;

/** Many times the size of a batch. There must be a limit, because an error is created for every record that is not a task. */
const MAX_RECORDS = 1_000;

/** After a restart or beyond this number, URLs of the request are only recognised if the response itself marks them as input. */
const MAX_REFERENCES = 1_000;

const taskIdList = z.array(taskId).min(1, 'no task id was given');

/** Submits and polls tasks of any family; logs each unknown status word once. */
export class TaskClient {
  readonly http: GatewayHttp;
  readonly settings: GatewaySettings;
  readonly #loggedWords = new Set<string>();
  readonly #warnings: ReaderWarnings;
  /** The URLs that recent requests contained, by task, because a response in an unknown format may repeat them next to the result. */
  readonly #references = new RecentMap<string, readonly string[]>(MAX_REFERENCES);

  constructor(http: GatewayHttp, settings: GatewaySettings) {
    this.http = http;
    this.settings = settings;
    const { log } = http.parts;
    this.#warnings = {
      onUnknownStatus: (family, word) => {
        const name = `${family}:${word}`;
        if (this.#loggedWords.has(name) || this.#loggedWords.size >= MAX_LOGGED_WORDS) return;
        this.#loggedWords.add(name);
        // The word may be any text, even a prompt.
        const loggable = safeName(word.replaceAll(' ', '_')) ?? `${word.length} characters`;
        const logFields = { family, word: loggable };
        log.warn(logFields, 'Unknown gateway status; treated as still running.');
      },
      onFoundBySearch: (family, remoteId) => {
        const logFields = { family, remoteId: safeName(remoteId) };
        log.warn(logFields, 'A result was not in a known place; it was found by searching the whole response.');
      },
    };
  }

  /** `continuedTaskId` is the task that the request continues; the gateway may keep its id. */
  async submit(
    family: Family,
    request: GatewayRequest & { body: unknown },
    continuedTaskId?: string,
  ): Promise<Submission> {
    const response = await this.http.submit(request);
    const requestWords = new Set([...collectRequestWords(request)].filter((word) => word !== continuedTaskId));
    const submission = readSubmission(family, response, requestWords);
    this.#rememberReferences(submission.remoteId, requestWords);
    return submission;
  }

  #rememberReferences(id: string, requestWords: ReadonlySet<string>): void {
    const urls = [...requestWords].filter((word) => /^https?:/i.test(word));
    if (urls.length > 0) this.#references.set(id, urls);
  }

  async get(family: Family, path: string, id: string, options?: Partial<GatewayRequest>): Promise<Snapshot> {
    return this.readTask(family, await this.fetchRecord(path, id, options), id);
  }

  /** Polls many tasks in one request. Unknown tasks are missing from the response, and the order of the others has no meaning. */
  async getMany(family: Family, path: string, ids: readonly string[], options?: Partial<GatewayRequest>) {
    const response = await this.http.read({ path, body: { ids: validate(taskIdList, ids) }, ...options });
    return this.readTasks(family, response, ids);
  }

  /** Polls a task. `{id}` in the path stands for its id. */
  fetchRecord(path: string, id: string, options?: Partial<GatewayRequest>): Promise<Json> {
    const name = encodeURIComponent(validate(taskId, id));
    return this.http.read({ path: path.replace('{id}', () => name), notFoundKind: 'not-found', ...options });
  }

  /** `id` is the polled task's id, or empty if several tasks were polled. */
  readTask(family: Family, response: unknown, id = ''): Snapshot {
    const { baseUrl: base, parts } = this.http;
    const requestUrls = this.#references.get(id) ?? [];
    const context = { base, imgxPath: this.settings.paths.imgx, now: parts.clock.now(), requestUrls };
    const snapshot = readSnapshot(family, response, context, this.#warnings);
    const { failure } = snapshot;
    if (failure?.reason === undefined) return snapshot;
    return { ...snapshot, failure: { ...failure, reason: this.http.cleanText(failure.reason) } };
  }

  /** Reads the response to a batch poll, by id: a list under `data`, a bare list, or nothing at all if no task is known. */
  readTasks(family: Family, response: unknown, ids: readonly string[] = []): Map<string, Snapshot> {
    const list = asList(response) ?? firstAt(response, LIST_PLACES, asList);
    const isEmpty = isRecord(response) && (response.data === null || response.data === '');
    const foundTasks = list || isEmpty ? [] : findListedTasks(response, ids);
    if (!list && !isEmpty && foundTasks.length === 0)
      throw malformedError('The gateway’s response is not a list of tasks.');
    const listedTasks = list?.map((record) => ({ record, id: undefined })) ?? foundTasks;
    const snapshots = new Map<string, Snapshot>();
    for (const { id, record } of listedTasks.slice(0, MAX_RECORDS)) {
      const snapshot = this.#readListedTask(family, record);
      const remoteId = id ?? snapshot?.remoteId;
      if (snapshot && remoteId !== undefined) snapshots.set(remoteId, { ...snapshot, remoteId });
    }
    return snapshots;
  }

  /** A record that is not a task does not affect the others, and is treated like an unknown task. */
  #readListedTask(family: Family, record: unknown): Snapshot | undefined {
    try {
      return this.readTask(family, record);
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
  }
}
