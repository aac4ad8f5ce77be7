import { isVisibleToOwnerOnly } from '../discord/outbox/ways.ts';
import type { FileLabel, FilePlan } from '../discord/plan.ts';
import { sayIn } from '../locales/index.ts';
import { MediaError } from '../services/media/errors.ts';
import type { FetchedFile } from '../services/media/media.ts';
import type { Task } from '../services/tasks/task.ts';
import { isSpoiler } from '../services/tasks/task-facts.ts';
import { fileNamePrefix } from './file-names.ts';
import { contentOf, copiesOf, type FileSources, type MessageSources } from './results.ts';
import { nameOf } from './task-message.ts';

/** An image shown with the results of a message, in memory until it is sent. */
export interface Preview {
  file: FilePlan;
  /** The bytes of the file as they are posted. */
  fitted: FetchedFile;
}

/** A preview is only shown for seconds, so it is small, and no message waits long for it. */
const MAX_PREVIEW_BYTES = 2 ** 20;
const MAX_FETCHED_PREVIEW_BYTES = 4 * 2 ** 20;
const PREVIEW_TIMEOUT_MS = 5_000;

/** Fetches the gateway's image of a task in progress. */
export async function previewOf(task: Task, sources: FileSources, signal?: AbortSignal): Promise<Preview | undefined> {
  const address = task.preview?.address;
  if (address === undefined) return undefined;
  const say = sayIn(task.language);
  const prompt = nameOf(task, sources, say);
  const alt = say('task.alt', { prompt });
  const file = { name: `${fileNamePrefix(task, prompt)}preview`, alt, spoiler: isSpoiler(task) };
  return fetchImage({ address, max: MAX_FETCHED_PREVIEW_BYTES, file }, task, sources, signal);
}

/** The size limit for source images. */
const MAX_SOURCE_BYTES = 20_000_000;
/** Source images are made smaller, because several of them share one message. */
const MAX_SHOWN_SOURCE_BYTES = 2 ** 19;

/** Fetches the source images of a description, which says little without them. */
export async function sourcePreviewsOf(task: Task, sources: FileSources, signal?: AbortSignal): Promise<Preview[]> {
  const sourceImages = sources.views[task.kind]?.sourceImages?.(task) ?? [];
  const previews: Preview[] = [];
  for (const [index, { address, name, isSpoiler: spoiler = false }] of sourceImages.entries()) {
    const alt = sayIn(task.language)('task.describe.alt', { name });
    const file = { name: `source-${index + 1}`, alt, spoiler };
    const image = { address, max: MAX_SOURCE_BYTES, fit: MAX_SHOWN_SOURCE_BYTES, givenBy: task.requesterId, file };
    const preview = await fetchImage(image, task, sources, signal);
    if (preview) previews.push(preview);
  }
  return previews;
}

/** Fetches a small copy of the first image of a result, or of the frame of its video. */
export async function resultPreviewOf(task: Task, sources: MessageSources): Promise<Preview | undefined> {
  const { media, message } = task;
  const [medium] = media;
  if (!medium || medium.kind === 'audio') return undefined;
  const files = await sources.storedFiles(task);
  // A moderator may have deleted a message that others could see.
  if (message && !isVisibleToOwnerOnly(task, message) && !files?.size) return undefined;
  const copy = medium.kind === 'image' ? copiesOf(files ?? new Map()).get(0) : undefined;
  const address = copy ?? (medium.kind === 'image' ? medium.address : medium.thumbnail);
  if (address === undefined) return undefined;
  const say = sayIn(task.language);
  const alt = say('task.alt', { prompt: nameOf(task, sources, say) });
  const file = { name: `${task.kind}-${task.id}-preview`, alt, spoiler: isSpoiler(task) };
  return fetchImage({ address, max: MAX_SOURCE_BYTES, fit: MAX_SHOWN_SOURCE_BYTES, file }, task, sources);
}

/** Fetches a thumbnail of each video that is only linked, if the gateway has one. */
export async function thumbnailsOf(
  task: Task,
  isLinked: (index: number) => boolean,
  sources: FileSources,
  signal?: AbortSignal,
): Promise<Preview[]> {
  const say = sayIn(task.language);
  const frames: Preview[] = [];
  for (const [index, { kind, thumbnail: address }] of task.media.entries()) {
    if (kind !== 'video' || address === undefined || !isLinked(index)) continue;
    const prompt = nameOf(task, sources, say);
    const alt = say('video.frame', { prompt });
    const file = { name: `${fileNamePrefix(task, prompt)}frame${index + 1}`, alt, spoiler: isSpoiler(task) };
    const frame = await fetchImage({ address, max: MAX_FETCHED_PREVIEW_BYTES, file }, task, sources, signal);
    if (frame) frames.push(frame);
  }
  return frames;
}

interface ImageRequest {
  address: string;
  /** The size limits for fetching (`max`) and for sending (`fit`). */
  max: number;
  fit?: number;
  timeoutMs?: number;
  /** The member who gave the URL; undefined if it comes from the gateway. */
  givenBy?: string;
  /** The label of the file; its name has no extension yet. */
  file: FileLabel;
}

/** Fetches an image and reduces it to the limit. Undefined if that is not possible; the message is sent without it. */
export async function fetchImage(
  { address, max, fit = MAX_PREVIEW_BYTES, timeoutMs = PREVIEW_TIMEOUT_MS, givenBy, file }: ImageRequest,
  task: Task,
  { media, log }: FileSources,
  signal?: AbortSignal,
): Promise<Preview | undefined> {
  try {
    const fetched = await media.fetch({ address }, { max, timeoutMs, signal, givenBy });
    if (fetched.type.kind !== 'image') {
      fetched.release();
      return undefined;
    }
    const fittedFile = await media.fitFetchedFile(fetched, Math.min(fit, task.route.uploadLimit), { signal });
    if (fittedFile.how === 'none') return undefined;
    const name = `${file.name}.${fittedFile.type.extension}`;
    return { file: { ...file, name, ...contentOf(fittedFile) }, fitted: fittedFile };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.debug({ task: task.id, kind: error.kind, reason: error.message }, 'A preview could not be fetched.');
    return undefined;
  }
}
