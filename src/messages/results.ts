import type { Outbox } from '../discord/outbox/outbox.ts';
import type { ReaderLanguages } from '../discord/reader-languages.ts';
import type { Clock } from '../lib/clock.ts';
import { expecting } from '../lib/expecting.ts';
import type { Log } from '../lib/log.ts';
import { GatewayError } from '../services/gateway/errors.ts';
import type { Medium } from '../services/gateway/snapshot.ts';
import type { FileContent } from '../services/media/content.ts';
import { MediaError, type MediaErrorKind } from '../services/media/errors.ts';
import type { MediaType, SourceType, VideoFacts } from '../services/media/media-types.ts';
import type { Domains } from '../services/operations/engine.ts';
import type { Task } from '../services/tasks/task.ts';
import type { MessageSettings } from './kind-view.ts';

export interface ResultSources extends Domains {
  log: Log;
  /** Whether results are marked as generated in their metadata. */
  marksResults: boolean;
}

export interface MessageSources extends ResultSources, MessageSettings {
  outbox: Outbox;
  readers: ReaderLanguages;
  clock: Clock;
  /** The files that Discord stores with a task's message, by name. Undefined if Discord does not respond. */
  storedFiles(task: Task): Promise<ReadonlyMap<string, string> | undefined>;
}

/** Enough for previews and notes, which tests build without an engine. */
export type FileSources = Pick<MessageSources, 'views' | 'media' | 'log' | 'clock'>;

/** The outcome of fetching one result: a file to attach, or a link; otherwise it is gone, or does not have the expected type. */
export type Result =
  | ({
      outcome: 'file';
      type: MediaType;
      video?: VideoFacts;
      original: Omit<ResultSource, 'base64'>;
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

/** The URL of a result, from the stored task or from a new response, or the result itself. */
interface ResultSource {
  address?: string | undefined;
  base64?: string | undefined;
  expiresAt?: number | undefined;
}

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
export async function resultsOf(task: Task, sources: ResultSources, copies: Copies = new Map(), max = MAX_IN_MEMORY) {
  let response: Promise<readonly Medium[] | undefined> | undefined;
  const results: Result[] = [];
  for (const [index, medium] of task.media.entries()) {
    const bytesInMemory = fetchedFiles(results).reduce((sum, { size }) => sum + size, 0);
    const fetch = (source: ResultSource) => fetchResult(source, task, max - bytesInMemory, sources);
    let result = await fetch({ address: copies.get(index) });
    if (result.outcome !== 'file') result = await fetch({ address: medium.address, expiresAt: medium.expiresAt });
    if (result.outcome === 'gone') {
      // The result was part of a response and has no URL, or its URL has expired. One new response may contain all results.
      response ??= queryMedia(task, sources);
      const media = await response;
      result = media ? await fetch(media[index] ?? {}) : UNREACHABLE;
    }
    results.push(result);
  }
  return results;
}

/** Errors after which the URL may still work in a browser. */
const ERRORS_SHOWN_AS_LINK: ReadonlySet<MediaErrorKind> = new Set(['too-large', 'unreachable', 'timeout']);

async function fetchResult(
  { address, base64, expiresAt }: ResultSource,
  task: Task,
  max: number,
  { media, log, marksResults }: ResultSources,
): Promise<Result> {
  if (address === undefined && base64 === undefined) return GONE;
  const provenance = marksResults ? { sourceType: sourceTypeOf(task) } : {};
  const link: Result = address === undefined ? INVALID : { outcome: 'link', address, expiresAt };
  try {
    const fetched = await media.fetch(address === undefined ? { base64: base64 ?? '' } : { address }, { max });
    const facts = fetched.type.kind === 'video' && { video: await media.videoFacts(fetched) };
    const fittedFile = await media.fitFetchedFile(fetched, task.route.uploadLimit, { provenance });
    if (fittedFile.how === 'none') return { ...link, ...facts };
    const { how, ...file } = fittedFile;
    return { outcome: 'file', ...file, ...facts, original: { address, expiresAt }, isReduced: how === 'preview' };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.warn({ task: task.id, kind: error.kind, reason: error.message }, 'A result could not be fetched.');
    if (ERRORS_SHOWN_AS_LINK.has(error.kind)) return link;
    return error.kind === 'expired' ? GONE : INVALID;
  }
}

/** Whether a result was made with reference images, or only from text and earlier results. */
function sourceTypeOf({ request: { pictures: images = [], references = [] } }: Task): SourceType {
  const hasReferences = images.length > 0 || references.length > 0;
  return hasReferences ? 'compositeWithTrainedAlgorithmicMedia' : 'trainedAlgorithmicMedia';
}

/** Stores the fingerprints by which the files are recognised, before they are delivered. */
export async function recordFiles(
  taskId: string,
  files: readonly (FileContent & { type: MediaType })[],
  { media, tasks: { fingerprints } }: ResultSources,
): Promise<void> {
  await fingerprints.record(taskId, await Promise.all(files.map((file) => media.fingerprint(file))));
}

export const fetchedFiles = (results: readonly Result[]) => results.filter((result) => result.outcome === 'file');

export function releaseFiles(results: readonly Result[]): void {
  for (const { release } of fetchedFiles(results)) release();
}

export function contentOf(file: FileContent & { type: MediaType }) {
  const { bytes, size } = file;
  return bytes ? { bytes } : { path: file.path, size, mime: file.type.mime };
}

/** Undefined if the gateway did not respond. */
async function queryMedia(task: Task, { tasks, log }: ResultSources): Promise<readonly Medium[] | undefined> {
  const handleFailure = ({ kind, status }: GatewayError) => {
    log.warn({ task: task.id, kind, status }, 'The gateway could not be queried for results.');
    return kind === 'not-found' ? [] : undefined;
  };
  const snapshot = tasks.fetchSnapshot(task);
  return snapshot.then(({ media }) => media).catch(expecting(GatewayError, handleFailure));
}
