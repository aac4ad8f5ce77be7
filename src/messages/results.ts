import type { Log } from '../lib/log.ts';
import type { Fingerprints } from '../services/fingerprints/fingerprints.ts';
import { GatewayError } from '../services/gateway/index.ts';
import type { Medium } from '../services/gateway/read/snapshot.ts';
import {
  type FileContent,
  type Media,
  MediaError,
  type MediaErrorKind,
  type MediaSource,
  type MediaType,
  type SourceType,
  type VideoFacts,
} from '../services/media/index.ts';
import type { StoredMedium, Task } from '../services/tasks/task.ts';
import type { Tasks } from '../services/tasks/tasks.ts';

export interface ResultParts {
  media: Media;
  fingerprints: Pick<Fingerprints, 'record'>;
  tasks: Pick<Tasks, 'fetchSnapshot'>;
  log: Log;
  /** Whether results are marked as generated in their metadata. */
  marksResults: boolean;
}

/** The outcome of fetching one result: a file to attach, or a link; otherwise it is gone, or does not have the expected type. */
export type Result =
  | ({
      outcome: 'file';
      type: MediaType;
      video?: VideoFacts;
      original: ResultUrl;
      /** It is a smaller copy of the original. */
      isReduced?: boolean;
      lostManifest?: boolean;
      release(): void;
    } & FileContent)
  | { outcome: 'link'; address: string; expiresAt?: number | undefined; video?: VideoFacts }
  /** `isCertain`: the host confirmed it; otherwise the host may only be unreachable. */
  | { outcome: 'gone'; isCertain: boolean }
  | { outcome: 'invalid' };

const GONE: Result = { outcome: 'gone', isCertain: true };
const UNREACHABLE: Result = { outcome: 'gone', isCertain: false };
const INVALID: Result = { outcome: 'invalid' };

/** The memory limit of one message. All deliveries share one limit, and a message that needed all of it would block itself. */
export const MAX_IN_MEMORY = 96 * 2 ** 20;

/** The URL of a result, from the stored task or from a new response. */
type ResultUrl = Pick<StoredMedium, 'address' | 'expiresAt'>;

/** The URLs of Discord's copies of results that were attached before, by index. */
export type Copies = ReadonlyMap<number, string>;

/** Reads the index of each result from the name of its file. */
export function copiesOf(files: ReadonlyMap<string, string>): Copies {
  return new Map(
    [...files].flatMap(([name, address]): [number, string][] => {
      const position = /-(\d+)\.\w+$/.exec(name)?.[1];
      return position === undefined ? [] : [[Number(position) - 1, address]];
    }),
  );
}

/** Fetches the results of a task one after the other. A result that cannot be fetched does not affect the others. */
export async function resultsOf(
  task: Task,
  parts: ResultParts,
  copies: Copies = new Map(),
  max = MAX_IN_MEMORY,
): Promise<Result[]> {
  let response: Promise<readonly Medium[] | undefined> | undefined;
  const results: Result[] = [];
  for (const [index, medium] of task.media.entries()) {
    // The gateway is queried at most once for all results.
    const queryOnce = async (): Promise<Medium | 'none' | 'unknown'> => {
      response ??= queryMedia(task, parts);
      const media = await response;
      return media ? (media[index] ?? 'none') : 'unknown';
    };
    const bytesInMemory = results.reduce((sum, result) => sum + (result.outcome === 'file' ? result.size : 0), 0);
    const fetch = createFetch(task, parts, max - bytesInMemory);
    results.push((await copyFrom(copies.get(index), fetch)) ?? (await resultFrom(medium, queryOnce, fetch)));
  }
  return results;
}

async function copyFrom(address: string | undefined, fetch: Fetch): Promise<Result | undefined> {
  const copy = address === undefined ? GONE : await fetch({ address }, { address });
  return copy.outcome === 'file' ? copy : undefined;
}

async function resultFrom(storedUrl: ResultUrl, query: () => Promise<Medium | 'none' | 'unknown'>, fetch: Fetch) {
  const original = storedUrl.address === undefined ? GONE : await fetch({ address: storedUrl.address }, storedUrl);
  if (original.outcome !== 'gone') return original;
  // The result was part of a response and has no URL, or its URL has expired. A new response may contain it.
  const medium = await query();
  if (typeof medium === 'string') return medium === 'none' ? GONE : UNREACHABLE;
  const { address, base64 } = medium;
  if (address !== undefined) return fetch({ address }, medium);
  return base64 === undefined ? GONE : fetch({ base64 }, medium);
}

/** Errors after which the URL may still work in a browser. */
const ERRORS_SHOWN_AS_LINK: ReadonlySet<MediaErrorKind> = new Set(['too-large', 'unreachable', 'timeout']);

type Fetch = (source: MediaSource, resultUrl: ResultUrl) => Promise<Result>;

function createFetch(task: Task, { media, log, marksResults }: ResultParts, max: number): Fetch {
  const { id, route } = task;
  const provenance = marksResults ? { sourceType: sourceTypeOf(task) } : {};
  const linkTo = ({ address, expiresAt }: ResultUrl): Result =>
    address === undefined ? INVALID : { outcome: 'link', address, expiresAt };
  return async (source, resultUrl) => {
    try {
      const fetched = await media.fetch(source, { max });
      const facts = fetched.type.kind === 'video' && { video: await media.videoFacts(fetched) };
      const fittedFile = await media.fitFetchedFile(fetched, route.uploadLimit, { provenance });
      if (fittedFile.how === 'none') return { ...linkTo(resultUrl), ...facts };
      const { how, ...file } = fittedFile;
      return { outcome: 'file', ...file, ...facts, original: resultUrl, isReduced: how === 'preview' };
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      log.warn({ task: id, kind: error.kind, reason: error.message }, 'A result could not be fetched.');
      if (ERRORS_SHOWN_AS_LINK.has(error.kind)) return linkTo(resultUrl);
      return error.kind === 'expired' ? GONE : INVALID;
    }
  };
}

/** Whether a result was made with reference images, or only from text and earlier results. */
function sourceTypeOf({ request: { pictures: images = [], references = [] } }: Task): SourceType {
  const hasReferences = images.length > 0 || references.length > 0;
  return hasReferences ? 'compositeWithTrainedAlgorithmicMedia' : 'trainedAlgorithmicMedia';
}

/** Stores the fingerprints by which the files are recognised, before they are delivered. */
export async function recordResults(
  taskId: string,
  results: readonly Result[],
  { media, fingerprints }: ResultParts,
): Promise<void> {
  const files = results.flatMap((result) => (result.outcome === 'file' ? media.fingerprint(result) : []));
  await fingerprints.record(taskId, await Promise.all(files));
}

export function contentOf(file: FileContent & { type: MediaType }) {
  const { bytes, size } = file;
  return bytes ? { bytes } : { path: file.path, size, mime: file.type.mime };
}

/** Undefined if the gateway did not respond. */
async function queryMedia(task: Task, { tasks, log }: ResultParts): Promise<readonly Medium[] | undefined> {
  try {
    return (await tasks.fetchSnapshot(task)).media;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    log.warn(
      { task: task.id, kind: error.kind, status: error.status },
      'The gateway could not be queried for results.',
    );
    return error.kind === 'not-found' ? [] : undefined;
  }
}
