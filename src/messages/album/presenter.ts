import type { FilePlan } from '../../discord/plan.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import type { StoredMedium, StoredTrack, Task } from '../../services/tasks/task.ts';
import { fileNamePrefix } from '../file-names.ts';
import { fetchImage } from '../previews.ts';
import {
  contentOf,
  fetchedFiles,
  MAX_IN_MEMORY,
  type MessageSources,
  type Result,
  recordFiles,
  resultsOf,
} from '../results.ts';
import {
  type AlbumEntry,
  albumLayout,
  albumMessage,
  areLyricsInline,
  finishedTracks,
  lyricsFile,
  songTitle,
  trackTitle,
  versesOf,
} from './message.ts';

const MAX_FILES = 10;
/** Limits for covers, which are shown small next to the player. No message waits long for them. */
const COVER_LIMITS = { max: 8 * 2 ** 20, fit: 2 * 2 ** 20, timeoutMs: 15_000 };

/** Treats the finished tracks of a song that is still running as its results. */
export function withFinishedTracks(task: Task): Task {
  if (task.media.length > 0) return task;
  const media = finishedTracks(task).map(
    ({ audio, seconds, cover }): StoredMedium => ({
      kind: 'audio',
      address: audio,
      firstSeenAt: task.times.accepted ?? task.times.created,
      ...(seconds !== undefined && { seconds }),
      ...(cover !== undefined && { thumbnail: cover }),
    }),
  );
  return media.length === 0 ? task : { ...task, media };
}

/** Covers are not judged, so they are left out where results are. `guildId`: the server where they would be shown. */
const showsCovers = (guildId: string | undefined, { safety }: MessageSources): boolean =>
  !safety.rules.judgesResults({ guildId });

/** Prepares the message of an album, with the audio files, covers and lyrics of its songs. `guildId`: the server where it is shown. */
export async function prepareAlbum(album: Task, guildId: string | undefined, sources: MessageSources) {
  const allEntries = await sources.tasks.albums.partsOf(album);
  const entries = showsCovers(guildId, sources) ? allEntries : allEntries.map(withoutCovers);
  const say = sayIn(album.language);
  const layout = albumLayout(album, entries, say);
  const attachments = new Attachments(album, sources);
  const { files, release } = attachments;
  if (layout.mode === 'together') {
    try {
      await attachments.addAudio(entries);
      if (layout.lyrics) files.push(layout.lyrics);
      const tracks = entries.flatMap(({ task }) => (task && !task.failure ? tracksWithCover(task) : []));
      await attachments.addCovers(tracks.slice(0, layout.coverCount));
    } catch (error) {
      release();
      throw error;
    }
  }
  const plan = albumMessage(album, layout, { files, notes: attachments.notes() }, say);
  const fallback = albumMessage(album, layout, { files: [], notes: attachments.notes({ hasFiles: false }) }, say);
  return { plan, fallback, release };
}

const isSong = ({ traits }: Task): boolean => traits.isFollowable === true;

/** The title of one of a song's tracks; undefined for other kinds. */
export const titleOfTrack = (task: Task, index: number): string | undefined =>
  isSong(task) ? titleAt(task, index, sayIn(task.language)) : undefined;

function titleAt(task: Task, index: number, say: Say): string {
  const track = finishedTracks(task)[index];
  return (track && trackTitle(track, task, say)) ?? songTitle(task) ?? say('music.untitled');
}

/** The covers and lyrics of one song, in addition to its audio files. */
export async function songAttachments(
  task: Task,
  { fileCount, guildId }: { fileCount: number; guildId: string | undefined },
  sources: MessageSources,
): Promise<Attachments> {
  const attachments = new Attachments(task, sources);
  if (!isSong(task)) return attachments;
  const verses = versesOf(task);
  if (verses.length > 0 && !areLyricsInline(verses)) {
    const title = songTitle(task) ?? sayIn(task.language)('music.untitled');
    const name = `${fileNamePrefix(task, title)}lyrics.txt`;
    attachments.files.push({ name, bytes: lyricsFile([{ title, verses }]) });
  }
  const candidates = showsCovers(guildId, sources) ? tracksWithCover(task) : [];
  const maxCovers = Math.max(0, MAX_FILES - fileCount - attachments.files.length);
  await attachments.addCovers(candidates.slice(0, maxCovers));
  for (const { track } of candidates.slice(maxCovers)) attachments.linkCover(track);
  return attachments;
}

class Attachments {
  readonly files: FilePlan[] = [];
  readonly #task: Task;
  readonly #sources: MessageSources;
  readonly #say: Say;
  /** The audio of an album, without files for which the message has no room. */
  readonly #results: Result[] = [];
  readonly #attachedCovers: string[] = [];
  readonly #linkedCovers: string[] = [];
  readonly #releases: (() => void)[] = [];

  constructor(task: Task, sources: MessageSources) {
    this.#task = task;
    this.#sources = sources;
    this.#say = sayIn(task.language);
  }

  /** Attaches the audio of an album, one file after the other, within the memory limit of one message. */
  async addAudio(entries: readonly AlbumEntry[]): Promise<void> {
    const say = this.#say;
    let number = 0;
    for (const { task } of entries) {
      if (!task || task.failure) continue;
      const song = withFinishedTracks({ ...task, route: this.#task.route });
      const bytesInMemory = this.files.reduce((sum, file) => sum + (file.bytes ? file.bytes.length : file.size), 0);
      const results = await resultsOf(song, this.#sources, undefined, MAX_IN_MEMORY - bytesInMemory);
      await recordFiles(this.#task.id, fetchedFiles(results), this.#sources);
      for (const [index, result] of results.entries()) {
        const title = titleAt(song, index, say);
        number += 1;
        const name = `${fileNamePrefix(this.#task, title) || 'audio-'}${number}`;
        this.#add(result, { name, alt: say('music.alt', { title }) });
      }
    }
  }

  #add(result: Result, { name, alt }: { name: string; alt: string }): void {
    const isFile = result.outcome === 'file';
    if (isFile && this.files.length >= MAX_FILES) return void result.release();
    this.#results.push(result);
    if (!isFile) return;
    this.files.push({ name: `${name}.${result.type.extension}`, ...contentOf(result), alt });
    this.#releases.push(result.release);
  }

  /** Attaches covers; a cover that cannot be attached becomes a link, because a member may still be able to open it. */
  async addCovers(tracks: readonly TrackWithCover[]): Promise<void> {
    for (const [index, { task, track }] of tracks.entries()) {
      const { cover: address = '' } = track;
      const title = trackTitle(track, task, this.#say);
      const name = `${fileNamePrefix(this.#task, title)}cover${index + 1}`;
      const file = { name, alt: this.#say('music.coverOf', { title }) };
      const cover = await fetchImage({ address, ...COVER_LIMITS, file }, this.#task, this.#sources);
      if (!cover) this.linkCover(track);
      else {
        this.files.push(cover.file);
        this.#releases.push(cover.fitted.release);
        await recordFiles(this.#task.id, [cover.fitted], this.#sources);
        this.#attachedCovers.push(address);
      }
    }
  }

  linkCover({ cover = '' }: StoredTrack): void {
    this.#linkedCovers.push(this.#say('music.coverAt', { address: cover }));
  }

  /** Without files, for a message whose files Discord does not accept. */
  notes({ hasFiles } = { hasFiles: true }): string[] {
    const say = this.#say;
    const count = (outcome: Result['outcome']) => this.#results.filter((one) => one.outcome === outcome).length;
    const [goneCount, invalidCount] = [count('gone'), count('invalid')];
    const links = this.#results.flatMap((one) => (one.outcome === 'link' ? one.address : []));
    const attached = this.#results.flatMap((one) => (one.outcome === 'file' ? (one.original.address ?? []) : []));
    const addresses = hasFiles ? links : [...links, ...attached, ...this.#attachedCovers];
    return [
      ...(hasFiles ? [] : [say('task.filesRefused')]),
      ...this.#linkedCovers,
      ...(addresses.length === 0 ? [] : [say('task.links'), ...addresses]),
      ...(goneCount === 0 ? [] : [say('task.gone', { count: goneCount })]),
      ...(invalidCount === 0 ? [] : [say('task.invalid', { count: invalidCount })]),
    ];
  }

  readonly release = (): void => {
    for (const release of this.#releases.splice(0)) release();
  };
}

interface TrackWithCover {
  task: Task;
  track: StoredTrack;
}

const tracksWithCover = (task: Task): TrackWithCover[] =>
  finishedTracks(task).flatMap((track) => (track.cover === undefined ? [] : [{ task, track }]));

const withoutCovers = ({ task, ...entry }: AlbumEntry): AlbumEntry => ({
  ...entry,
  task: task && { ...task, tracks: task.tracks?.map(({ cover: _, ...track }) => track) },
});
