import type { FilePlan } from '../../discord/plan.ts';
import { expecting } from '../../lib/expecting.ts';
import { dataUri } from '../../services/media/content.ts';
import { MediaError } from '../../services/media/errors.ts';
import { withRelease } from '../../services/orders/member-files.ts';
import type { ResultImages } from '../../services/safety/rules.ts';
import type { Task } from '../../services/tasks/task.ts';
import { type Copies, contentOf, type ResultSources, releaseFiles, resultsOf } from '../results.ts';

/** Enough detail for the moderation service and for moderators. */
const MAX_IMAGE_BYTES = 2 * 2 ** 20;
const MAX_THUMBNAIL_BYTES = 4 * 2 ** 20;
/** Enough to recognize a result. */
const MAX_REPORT_IMAGE_BYTES = 256 * 2 ** 10;

/** Returns the images of a result, and the thumbnails of its videos. */
export async function imagesOf(task: Task, sources: ResultSources, copies?: Copies): Promise<ResultImages> {
  const images = await fetchSmallImages(task, sources, copies);
  const urls: (string | undefined)[] = [];
  for (const [index, medium] of task.media.entries()) {
    if (medium.kind === 'image') urls.push(images[index]);
    if (medium.kind === 'video') urls.push(await thumbnailOf(medium.thumbnail, sources));
  }
  return urls;
}

async function fetchSmallImages(task: Task, sources: ResultSources, copies?: Copies): Promise<(string | undefined)[]> {
  if (!task.media.some(({ kind }) => kind === 'image')) return [];
  const results = await resultsOf(withSmallFiles(task), sources, copies);
  try {
    return await Promise.all(
      results.map(async (result) =>
        result.outcome === 'file' && result.type.kind === 'image'
          ? dataUri(result.type.mime, await sources.media.readWhole(result))
          : undefined,
      ),
    );
  } finally {
    releaseFiles(results);
  }
}

async function thumbnailOf(url: string | undefined, { media }: ResultSources): Promise<string | undefined> {
  if (url === undefined) return undefined;
  const fetchImage = async () => {
    const fetched = await media.fetch({ address: url }, { max: MAX_THUMBNAIL_BYTES });
    return withRelease(fetched, async () =>
      fetched.type.kind === 'image' ? dataUri(fetched.type.mime, await media.readWhole(fetched)) : undefined,
    );
  };
  return fetchImage().catch(expecting(MediaError, () => undefined));
}

/** Returns the files that moderators decide about, hidden behind spoilers. */
export async function filesOf(task: Task, sources: ResultSources, maxBytes = MAX_IMAGE_BYTES) {
  const results = await resultsOf(withSmallFiles(task, maxBytes), sources);
  const files = results.flatMap((result, index): FilePlan[] =>
    result.outcome === 'file'
      ? [{ name: `image-${index + 1}.${result.type.extension}`, ...contentOf(result), spoiler: true }]
      : [],
  );
  return { files, release: () => releaseFiles(results) };
}

/** A small copy of a task's first image or of its video's thumbnail, hidden behind a spoiler. */
export function thumbnailFileOf(task: Task, sources: ResultSources): ReturnType<typeof filesOf> {
  const [medium] = task.media;
  const address = medium?.kind === 'video' ? medium.thumbnail : medium?.address;
  const isVisual =
    medium !== undefined && (medium.kind === 'image' || address !== undefined) && medium.kind !== 'audio';
  const media = isVisual ? [{ ...medium, kind: 'image' as const, address }] : [];
  return filesOf({ ...task, media }, sources, MAX_REPORT_IMAGE_BYTES);
}

const withSmallFiles = (task: Task, maxBytes = MAX_IMAGE_BYTES): Task => ({
  ...task,
  route: { ...task.route, uploadLimit: Math.min(maxBytes, task.route.uploadLimit) },
});
