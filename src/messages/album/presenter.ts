import type { FilePlan, Prepared } from '../../discord/plan.ts';
import { withoutEnd, withoutStart } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { MediaError } from '../../services/media/index.ts';
import type { KeptMedium, KeptTrack, Task } from '../../services/tasks/task.ts';
import type { Tasks } from '../../services/tasks/tasks.ts';
import { attached, MOST_HELD, type Result, type Results, resultsOf } from '../results.ts';
import { type AlbumEntry, areShort, finishedTracks, lyricsFile, songTitle, trackTitle, versesOf } from './lines.ts';
import { albumLayout, albumMessage } from './message.ts';

interface MusicParts extends Results {
  say: Say;
  tasks: Pick<Tasks, 'look'> & { albums: Pick<Tasks['albums'], 'partsOf'> };
}

/** What comes along with the sounds of a message. */
interface Extras {
  files: FilePlan[];
  notes: string[];
  release(): void;
}

/** What a message holds. */
const MOST_FILES = 10;
/** A cover is looked at beside its player: it needs no more detail, and nobody waits long for it. */
const MOST_OF_COVER = 2 * 2 ** 20;
const MOST_FETCHED_FOR_COVER = 8 * 2 ** 20;
const COVER_PATIENCE_MS = 15_000;

/** What can be heard of a song before all of it is done counts as its results. */
export function withSounds(task: Task): Task {
  if (task.media.length > 0) return task;
  const media = finishedTracks(task).map(
    ({ audio, seconds, cover }): KeptMedium => ({
      ...{ kind: 'audio', address: audio, firstSeenAt: task.times.accepted ?? task.times.created },
      ...(seconds !== undefined && { seconds }),
      ...(cover !== undefined && { thumbnail: cover }),
    }),
  );
  return media.length === 0 ? task : { ...task, media };
}

/** Joins songs, their sounds, covers and lyrics, and their views. */
export function musicPresenter(parts: MusicParts) {
  const { say, tasks } = parts;
  return {
    async album(album: Task): Promise<Prepared> {
      const entries = await tasks.albums.partsOf(album);
      const layout = albumLayout(album, entries, say);
      const nothing = { files: [], notes: [] };
      if (layout.as === 'pages') return { plan: albumMessage(album, layout, nothing, say), release: () => undefined };
      const shown = new Shown();
      try {
        await addSounds(entries, album, shown, parts);
        if (layout.lyrics) shown.files.push(layout.lyrics);
        const sung = entries.flatMap(({ task }) => (task && !task.failure ? withTask(task) : []));
        await addCovers(sung, layout.covers, album, shown, parts);
      } catch (error) {
        shown.release();
        throw error;
      }
      const plan = albumMessage(album, layout, { files: shown.files, notes: shown.notesIn(say) }, say);
      return { plan, release: () => shown.release() };
    },

    /** What one of a song's sounds is called; undefined where it is no song. */
    altOf(task: Task, place: number): string | undefined {
      return isSong(task) ? say('music.alt', { title: titleAt(task, place, say) }) : undefined;
    },

    /** Covers and lyrics of one song, beside its sounds. */
    async beside(task: Task, taken: number): Promise<Extras> {
      const shown = new Shown();
      const verses = versesOf(task);
      if (isSong(task) && verses.length > 0 && !areShort(verses)) {
        const bytes = lyricsFile([{ title: songTitle(task) ?? say('music.untitled'), verses }]);
        shown.files.push({ name: `lyrics-${task.id}.txt`, bytes });
      }
      const covered = isSong(task) ? withTask(task).filter(isCovered) : [];
      const room = Math.max(0, MOST_FILES - taken - shown.files.length);
      await addCovers(covered, room, task, shown, parts);
      for (const { track } of covered.slice(room)) shown.link(say('music.coverAt', { address: track.cover ?? '' }));
      return { files: shown.files, notes: shown.notesIn(say), release: () => shown.release() };
    },
  };
}

const isSong = ({ traits }: Task): boolean => traits.isFollowable === true;

function titleAt(task: Task, place: number, say: Say): string {
  const track = finishedTracks(task)[place];
  return (track && trackTitle(track, task, say)) ?? songTitle(task) ?? say('music.untitled');
}

/** Files of a message as they come together, and what became of those that could not be attached. */
class Shown {
  readonly files: FilePlan[] = [];
  readonly #links: string[] = [];
  readonly #beside: string[] = [];
  readonly #releases: (() => void)[] = [];
  #gone = 0;
  #odd = 0;

  get held(): number {
    return this.files.reduce((sum, file) => sum + (file.bytes ? file.bytes.length : file.size), 0);
  }

  take(result: Result, { name, alt }: { name: string; alt: string }): void {
    if (result.as === 'file' && this.files.length < MOST_FILES) {
      this.files.push({ name: `${name}.${result.type.extension}`, ...attached(result), alt });
      this.#releases.push(result.release);
    } else if (result.as === 'file') result.release();
    else if (result.as === 'link') this.#links.push(result.address);
    else if (result.as === 'gone') this.#gone += 1;
    else this.#odd += 1;
  }

  /** What is only told of. */
  link(line: string): void {
    this.#beside.push(line);
  }

  notesIn(say: Say): string[] {
    return [
      ...this.#beside,
      ...(this.#links.length === 0 ? [] : [say('task.links'), ...this.#links]),
      ...(this.#gone === 0 ? [] : [say('task.gone', { count: this.#gone })]),
      ...(this.#odd === 0 ? [] : [say('task.odd', { count: this.#odd })]),
    ];
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }
}

interface Sung {
  task: Task;
  track: KeptTrack;
}

const isCovered = ({ track }: Sung): boolean => track.cover !== undefined;

const withTask = (task: Task): Sung[] => finishedTracks(task).map((track) => ({ task, track }));

/** The sounds of an album, one after the other, within what one message may hold of everybody's memory. */
async function addSounds(
  entries: readonly AlbumEntry[],
  { route }: Task,
  shown: Shown,
  parts: MusicParts,
): Promise<void> {
  const { say } = parts;
  let number = 0;
  for (const { task } of entries) {
    if (!task || task.failure) continue;
    const song = withSounds({ ...task, route });
    const results = await resultsOf(song, parts, undefined, MOST_HELD - shown.held);
    for (const [index, result] of results.entries()) {
      const title = titleAt(song, index, say);
      number += 1;
      shown.take(result, { name: `${fileName(title)}-${number}`, alt: say('music.alt', { title }) });
    }
  }
}

/** Covers among the files while there is room, else as links; one that cannot be fetched may yet be opened by a person. */
async function addCovers(
  sung: readonly Sung[],
  room: number,
  { route, id }: Pick<Task, 'route' | 'id'>,
  shown: Shown,
  parts: MusicParts,
): Promise<void> {
  const { media, say, log } = parts;
  for (const [index, { task, track }] of sung.filter(isCovered).slice(0, room).entries()) {
    const limits = { most: MOST_FETCHED_FOR_COVER, patienceMs: COVER_PATIENCE_MS };
    try {
      const fetched = await media.fetch({ address: track.cover ?? '' }, limits);
      const fitting = await media.fitFetched(fetched, Math.min(MOST_OF_COVER, route.uploadLimit));
      if (fitting.how === 'none') continue;
      if (fitting.type.kind !== 'image') {
        fitting.release();
        continue;
      }
      const { how: _, ...cover } = fitting;
      const alt = say('music.coverOf', { title: trackTitle(track, task, say) });
      shown.take({ as: 'file', ...cover }, { name: `cover${index + 1}-${id}`, alt });
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      log.debug({ task: task.id, kind: error.kind, reason: error.message }, 'A cover could not be had.');
      shown.link(say('music.coverAt', { address: track.cover ?? '' }));
    }
  }
}

const LONGEST_NAME = 40;

/** Discord keeps letters, digits and dashes of a file's name. */
function fileName(title: string): string {
  const letters = title.normalize('NFKD').replace(/[^A-Za-z0-9]+/g, '-');
  return withoutEnd(withoutStart(letters, '-'), '-').slice(0, LONGEST_NAME) || 'track';
}
