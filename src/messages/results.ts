import type { Log } from '../lib/log.ts';
import { GatewayError } from '../services/gateway/index.ts';
import type { Medium } from '../services/gateway/read/snapshot.ts';
import {
  type Fetched,
  type FileContent,
  type FilmFacts,
  type Media,
  MediaError,
  type MediaErrorKind,
  type MediaSource,
  type MediaType,
} from '../services/media/index.ts';
import type { Task } from '../services/tasks/task.ts';
import type { Tasks } from '../services/tasks/tasks.ts';

export interface Results {
  media: Media;
  tasks: Pick<Tasks, 'look'>;
  log: Log;
}

/** What became of one result: a file to attach, or where it is, or both; else it is gone, or not what it should be. */
export type Result =
  | ({ as: 'file'; type: MediaType; film?: FilmFacts; smallerThan?: Place; release(): void } & FileContent)
  | { as: 'link'; address: string; expiresAt?: number | undefined; film?: FilmFacts }
  /** Whether its keeper has said so; else it may only be out of reach. */
  | { as: 'gone'; isCertain: boolean }
  | { as: 'odd' };

const GONE: Result = { as: 'gone', isCertain: true };
const OUT_OF_REACH: Result = { as: 'gone', isCertain: false };
const ODD: Result = { as: 'odd' };

/** All results share one bound: a message that wanted all of it would wait for itself. */
export const MOST_HELD = 96 * 2 ** 20;

/** Where a result is, as the task keeps it or as a new answer says it. */
interface Place {
  address?: string | undefined;
  expiresAt?: number | undefined;
}

/** The results of a task, one after the other: one that cannot be fetched does not hide the others. */
export async function resultsOf(
  task: Task,
  parts: Results,
  copies: Copies = new Map(),
  most = MOST_HELD,
): Promise<Result[]> {
  let asked: Promise<readonly Medium[] | undefined> | undefined;
  const results: Result[] = [];
  for (const [index, medium] of task.media.entries()) {
    // However many results need it, the gateway is asked once more and no oftener.
    const freshOne = async (): Promise<Medium | 'none' | 'unknown'> => {
      asked ??= fresh(task, parts);
      const media = await asked;
      return media ? (media[index] ?? 'none') : 'unknown';
    };
    const held = results.reduce((sum, result) => sum + (result.as === 'file' ? result.size : 0), 0);
    const fetcher = new Fetcher(task, parts, most - held);
    results.push((await copyFrom(copies.get(index), fetcher)) ?? (await resultFrom(medium, freshOne, fetcher)));
  }
  return results;
}

/** Where Discord keeps a result that was attached once, by its place among the results. */
export type Copies = ReadonlyMap<number, string>;

async function copyFrom(address: string | undefined, fetcher: Fetcher): Promise<Result | undefined> {
  const copy = address === undefined ? GONE : await fetcher.fetch({ address }, { address });
  return copy.as === 'file' ? copy : undefined;
}

async function resultFrom(
  known: Place,
  again: () => Promise<Medium | 'none' | 'unknown'>,
  fetcher: Fetcher,
): Promise<Result> {
  const first = known.address === undefined ? GONE : await fetcher.fetch({ address: known.address }, known);
  if (first.as !== 'gone') return first;
  // It came inside an answer, or its address has run out: a new answer has it, if there is one.
  const medium = await again();
  if (typeof medium === 'string') return medium === 'none' ? GONE : OUT_OF_REACH;
  const source = sourceOf(medium);
  return source ? fetcher.fetch(source, medium) : GONE;
}

function sourceOf({ address, base64 }: Medium): MediaSource | undefined {
  if (address !== undefined) return { address };
  return base64 === undefined ? undefined : { base64 };
}

function linkTo({ address, expiresAt }: Place): Result {
  return address === undefined ? ODD : { as: 'link', address, expiresAt };
}

/** Those that say nothing against opening it in a browser. */
const ELSEWHERE: ReadonlySet<MediaErrorKind> = new Set(['too-large', 'unreachable', 'timeout']);

class Fetcher {
  readonly #task: Task;
  readonly #parts: Results;
  readonly #most: number;

  constructor(task: Task, parts: Results, most: number) {
    this.#task = task;
    this.#parts = parts;
    this.#most = most;
  }

  async fetch(source: MediaSource, place: Place): Promise<Result> {
    const { media, log } = this.#parts;
    try {
      const fetched = await media.fetch(source, { most: this.#most });
      return await this.#fitted(fetched, place);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      log.warn({ task: this.#task.id, kind: error.kind, reason: error.message }, 'A result could not be fetched.');
      if (ELSEWHERE.has(error.kind)) return linkTo(place);
      return error.kind === 'expired' ? GONE : ODD;
    }
  }

  async #fitted(fetched: Fetched, place: Place): Promise<Result> {
    const { media } = this.#parts;
    const film = fetched.type.kind === 'video' && { film: await media.filmFacts(fetched) };
    const fitting = await media.fitFetched(fetched, this.#task.route.uploadLimit);
    if (fitting.how === 'none') return { ...linkTo(place), ...film };
    const { how, ...file } = fitting;
    return { as: 'file', ...file, ...film, ...(how === 'preview' && { smallerThan: place }) };
  }
}

/** What a message's plan says of a file's content. */
export function attached(file: FileContent & { type: MediaType }) {
  const { bytes, size } = file;
  return bytes ? { bytes } : { path: file.path, size, mime: file.type.mime };
}

/** undefined: nobody knows, for the gateway did not answer. */
async function fresh(task: Task, { tasks, log }: Results): Promise<readonly Medium[] | undefined> {
  try {
    return (await tasks.look(task)).media;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    log.warn({ task: task.id, kind: error.kind, status: error.status }, 'A result could not be asked for once more.');
    return error.kind === 'not-found' ? [] : undefined;
  }
}
