import { actionId, changeId } from './buttons/action.ts';
import { cancelId, editId, retryId } from './buttons/again.ts';
import { albumIds } from './buttons/album.ts';
import { deleteId } from './buttons/delete.ts';
import { dismissId, tryAgainId } from './buttons/unconfirmed.ts';
import { upscaleAllId } from './buttons/upscale-all.ts';
import { continueId, wordsId } from './buttons/words.ts';
import type { Prepared } from './discord/delivery/delivery.ts';
import { messageLink } from './discord/message-link.ts';
import type { Say } from './locales/index.ts';
import { musicPresenter, withSounds } from './present-music.ts';
import { type Copies, type Result, type Results, resultsOf } from './results.ts';
import { MediaError } from './services/media/index.ts';
import { asksForWords } from './services/tasks/actions.ts';
import { isSpoiler, typedIn } from './services/tasks/follow-ups.ts';
import type { Offers } from './services/tasks/offers.ts';
import { hasEnded, isPart, type Task } from './services/tasks/task.ts';
import type { Tasks } from './services/tasks/tasks.ts';
import type { FilePlan, MessagePlan } from './views/plan.ts';
import { NOTHING_SHOWN, type Shown, taskMessage } from './views/task.ts';
import type { TaskControls } from './views/task-buttons.ts';

interface PresenterParts extends Results {
  say: Say;
  tasks: Pick<Tasks, 'look' | 'get' | 'partsOf'>;
  /** The gateway's account works in remix mode: variations ask for words. */
  isRemix: boolean;
  offers: Pick<Offers, 'isOffered'>;
  /** The files of a task's message as Discord keeps them, by name. */
  storedFiles(task: Task): Promise<ReadonlyMap<string, string> | undefined>;
}

/** A picture that stands for seconds needs no more detail, and nobody waits long for it. */
const MOST_OF_PREVIEW = 2 ** 20;
const MOST_FETCHED_FOR_PREVIEW = 4 * 2 ** 20;
const PREVIEW_PATIENCE_MS = 5_000;

/** Joins a task, the files of its results, and its view. */
export function presenter(parts: PresenterParts) {
  const { say, isRemix, offers } = parts;
  const controls: TaskControls = {
    ...{ tryAgainId, dismissId, deleteId, continueId, cancelId, retryId, editId, upscaleAllId, changeId },
    isOffered: (customId) => offers.isOffered(customId),
    // Whether a form is the first answer must show in the id: there is no time to look it up.
    actionId: (taskId, place, customId) => (asksForWords(customId, isRemix) ? wordsId : actionId)(taskId, place),
  };
  const music = musicPresenter(parts, { deleteId, ...albumIds });

  /** `areGone`: Discord has no copy of those that the gateway has no more. */
  async function shownResults(
    task: Task,
    results: readonly Result[],
    nothing: Shown,
    areGone = false,
  ): Promise<Prepared> {
    const prompt = typedIn(task);
    const files = results.flatMap((result, index): FilePlan[] => {
      if (result.as !== 'file') return [];
      const name = `${task.kind}-${task.id}-${index + 1}.${result.type.extension}`;
      const alt = music.altOf(task, index) ?? say('task.alt', { prompt });
      return [{ name, bytes: result.bytes, alt, spoiler: isSpoiler(task) }];
    });
    const extras = await music.beside(task, files.length);
    const shown = {
      ...nothing,
      files: [...files, ...extras.files],
      notes: [...nothing.notes, ...extras.notes],
      links: results.filter((result) => result.as === 'link'),
      wholes: results.flatMap((result) => (result.as === 'file' ? (result.smallerThan?.address ?? []) : [])),
      gone: results.filter((one) => one.as === 'gone' && !(areGone && one.isCertain)).length,
      goneForGood: results.filter((one) => one.as === 'gone' && areGone && one.isCertain).length,
      odd: results.filter(({ as }) => as === 'odd').length,
    };
    return {
      plan: taskMessage(task, controls, say, shown),
      release: () => {
        extras.release();
        for (const result of results) if (result.as === 'file') result.release();
      },
    };
  }

  return {
    messageOf: (task: Task): MessagePlan => taskMessage(task, controls, say),

    async prepare(task: Task, signal?: AbortSignal): Promise<Prepared> {
      if (task.delivery.call) return { plan: callTo(task, say), release: () => undefined };
      if (task.kind === 'album') return music.album(task);
      const parentLink = await linkToParent(task, parts);
      const nothing = { ...NOTHING_SHOWN, parentLink };
      if (!hasEnded(task)) {
        const preview = await previewOf(task, parts, signal);
        const files = preview ? [preview.file] : [];
        return {
          plan: taskMessage(task, controls, say, { ...nothing, files }),
          release: () => preview?.release(),
        };
      }
      if (task.state !== 'ready') return { plan: taskMessage(task, controls, say, nothing), release: () => undefined };
      return shownResults(task, await resultsOf(task, parts), nothing);
    },

    /** A result once more, whenever it was: as Discord keeps it, else as the gateway does. */
    async brought(task: Task, { uploadLimit }: { uploadLimit: number }): Promise<Prepared> {
      const here = withSounds({ ...task, route: { ...task.route, uploadLimit } });
      if (task.kind === 'album') return music.album(here);
      const nothing = { ...NOTHING_SHOWN, parentLink: await linkToParent(task, parts) };
      const stored = await parts.storedFiles(task);
      const results = await resultsOf(here, parts, copiesOf(stored ?? new Map()));
      return shownResults(here, results, nothing, stored !== undefined);
    },
  };
}

async function linkToParent(task: Task, { tasks }: PresenterParts): Promise<string | undefined> {
  // A song that an album follows is not made of it.
  const parent = task.parentId === undefined || isPart(task) ? undefined : await tasks.get(task.parentId);
  return parent && messageLink(parent);
}

/** Files carry the place of their result in their names. */
function copiesOf(files: ReadonlyMap<string, string>): Copies {
  return new Map(
    [...files].flatMap(([name, address]): [number, string][] => {
      const place = /-(\d+)\.\w+$/.exec(name)?.[1];
      return place === undefined ? [] : [[Number(place) - 1, address]];
    }),
  );
}

/** Says what became of it, and nothing of what was asked for. */
function callTo({ state, failure, requesterId }: Task, say: Say): MessagePlan {
  const isUnknown = state === 'unconfirmed' || failure?.cause === 'forgotten';
  const fate = isUnknown ? 'unknown' : failure ? 'failed' : 'done';
  return { content: say(`task.call.${fate}`, { owner: `<@${requesterId}>` }), notifies: [requesterId] };
}

interface Preview {
  file: FilePlan;
  release(): void;
}

/** How it looks so far. Nobody is told of one that cannot be had: the next may come, and the result will. */
async function previewOf(task: Task, parts: PresenterParts, signal?: AbortSignal): Promise<Preview | undefined> {
  const address = task.preview?.address;
  if (address === undefined) return undefined;
  const { media, say, log } = parts;
  const limits = { most: MOST_FETCHED_FOR_PREVIEW, patienceMs: PREVIEW_PATIENCE_MS, signal };
  let release: (() => void) | undefined;
  try {
    const fetched = await media.fetch({ address }, limits);
    release = fetched.release;
    if (fetched.type.kind !== 'image') return undefined;
    const fitting = await media.fit(fetched, Math.min(MOST_OF_PREVIEW, task.route.uploadLimit), { signal });
    if (fitting.how === 'none') return undefined;
    const name = `${task.kind}-${task.id}-preview.${fitting.type.extension}`;
    const file = {
      name,
      bytes: fitting.bytes,
      alt: say('task.alt', { prompt: typedIn(task) }),
      spoiler: isSpoiler(task),
    };
    release = undefined;
    return { file, release: fetched.release };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.debug({ task: task.id, kind: error.kind, reason: error.message }, 'A preview could not be had.');
    return undefined;
  } finally {
    release?.();
  }
}
