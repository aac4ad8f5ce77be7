import type { FileLabel, FilePlan } from '../discord/plan.ts';
import type { Log } from '../lib/log.ts';
import type { Say } from '../locales/index.ts';
import { type Media, MediaError } from '../services/media/index.ts';
import { isSpoiler } from '../services/tasks/follow-ups.ts';
import type { GivenPicture } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import type { MessageContext } from './kind-view.ts';
import { attached } from './results.ts';
import { nameOf } from './task-message.ts';

interface PreviewParts extends Pick<MessageContext, 'views'> {
  media: Media;
  say: Say;
  log: Log;
}

/** A picture that goes along with a message, in memory until it has been sent. */
export interface Preview {
  file: FilePlan;
  release(): void;
}

/** A picture that stands for seconds needs no more detail, and nobody waits long for it. */
const MOST_OF_PREVIEW = 2 ** 20;
const MOST_FETCHED_FOR_PREVIEW = 4 * 2 ** 20;
const PREVIEW_PATIENCE_MS = 5_000;

/** How it looks so far. */
export async function previewOf(task: Task, parts: PreviewParts, signal?: AbortSignal): Promise<Preview | undefined> {
  const address = task.preview?.address;
  if (address === undefined) return undefined;
  const file = {
    name: `${task.kind}-${task.id}-preview`,
    alt: parts.say('task.alt', { prompt: nameOf(task, parts, parts.say) }),
    spoiler: isSpoiler(task),
  };
  return small({ address, most: MOST_FETCHED_FOR_PREVIEW, file }, task, parts, signal);
}

/** What a member may hand in, and no result waits long for it. */
const MOST_GIVEN = 20_000_000;
/** Several of them go along with one message. */
const MOST_OF_GIVEN = 2 ** 19;

/** The pictures that were described: a description says little to those who do not see what it is of. */
export async function describedIn(task: Task, parts: PreviewParts, signal?: AbortSignal): Promise<Preview[]> {
  const given = parts.views[task.kind]?.given?.(task) ?? [];
  const previews: Preview[] = [];
  for (const [index, { address, name }] of given.entries()) {
    const file = {
      name: `${task.kind}-${task.id}-${index + 1}`,
      alt: parts.say('task.describe.alt', { name }),
      spoiler: isCovered({ address, name }),
    };
    const picture = { address, most: MOST_GIVEN, fit: MOST_OF_GIVEN, givenBy: task.requesterId, file };
    const preview = await small(picture, task, parts, signal);
    if (preview) previews.push(preview);
  }
  return previews;
}

/** A picture of each film that is only linked, where the gateway gives one. */
export async function framesOf(
  task: Task,
  isLinked: (index: number) => boolean,
  parts: PreviewParts,
  signal?: AbortSignal,
): Promise<Preview[]> {
  const frames: Preview[] = [];
  for (const [index, { kind, thumbnail: address }] of task.media.entries()) {
    if (kind !== 'video' || address === undefined || !isLinked(index)) continue;
    const file = {
      name: `${task.kind}-${task.id}-${index + 1}-frame`,
      alt: parts.say('film.frame', { prompt: nameOf(task, parts, parts.say) }),
      spoiler: isSpoiler(task),
    };
    const frame = await small({ address, most: MOST_FETCHED_FOR_PREVIEW, file }, task, parts, signal);
    if (frame) frames.push(frame);
  }
  return frames;
}

/** Discord tells by the name that a picture is to be covered. */
const isCovered = ({ name }: GivenPicture): boolean => name.startsWith('SPOILER_');

interface Small {
  address: string;
  /** The most that is fetched, and the most that is sent. */
  most: number;
  fit?: number;
  /** The member who named it, where it is none of the gateway's. */
  givenBy?: string;
  /** Its name still lacks its ending. */
  file: FileLabel;
}

/** Nobody is told of one that cannot be had: the message says what it says without it. */
async function small(
  { address, most, fit = MOST_OF_PREVIEW, givenBy, file }: Small,
  task: Task,
  { media, log }: PreviewParts,
  signal?: AbortSignal,
): Promise<Preview | undefined> {
  try {
    const fetched = await media.fetch({ address }, { most, patienceMs: PREVIEW_PATIENCE_MS, signal, givenBy });
    if (fetched.type.kind !== 'image') {
      fetched.release();
      return undefined;
    }
    const fitting = await media.fitFetched(fetched, Math.min(fit, task.route.uploadLimit), { signal });
    if (fitting.how === 'none') return undefined;
    const name = `${file.name}.${fitting.type.extension}`;
    return { file: { ...file, name, ...attached(fitting) }, release: fitting.release };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.debug({ task: task.id, kind: error.kind, reason: error.message }, 'A preview could not be had.');
    return undefined;
  }
}
