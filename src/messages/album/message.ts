import { customIds } from '../../discord/custom-ids.ts';
import { escapeText } from '../../discord/markdown.ts';
import type { Control, FilePlan, MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { hasEnded, type StoredTrack, type Task } from '../../services/tasks/task.ts';
import { fileNamePrefix } from '../file-names.ts';
import { buttonPlan } from '../task-buttons.ts';
import {
  type AlbumEntry,
  albumHeadlines,
  areLyricsInline,
  entryLine,
  finishedTracks,
  isFinished,
  lyricsFile,
  quoteLines,
  shortState,
  songTitle,
  trackTitle,
  versesOf,
} from './lines.ts';

/** Discord's limits for a message. */
const MAX_FILES = 10;
const MAX_CONTENT_LENGTH = 2_000;
/** Reserved for the URLs of files that turn out to be too large to upload. */
const RESERVED_LENGTH = 200;
/** Gateways usually make two tracks per request. */
const USUAL_TRACKS = 2;
/** The number of songs per page; more lines would not fit into a message. */
const PAGE_SIZE = 15;
const MAX_TITLE_LENGTH = 50;

/** Everything in one message if it fits, else pages with a line per song and a menu to choose one. */
export type AlbumLayout =
  | { mode: 'together'; content: string; lyrics: FilePlan | undefined; coverCount: number }
  | { mode: 'pages'; content: string; page: number; pages: number; shown: readonly AlbumEntry[] };

export const albumLayout = (album: Task, entries: readonly AlbumEntry[], say: Say): AlbumLayout =>
  singleMessage(album, entries, say) ?? pagedLayout(album, entries, say);

/** An album with only one song never gets pages, because there is nothing to choose from. */
function singleMessage(album: Task, entries: readonly AlbumEntry[], say: Say): AlbumLayout | undefined {
  const audioCount = entries.reduce((sum, entry) => sum + audioCountOf(entry), 0);
  const headlines = albumHeadlines(album, entries, say);
  for (const areLyricsInFile of [false, true]) {
    const lyrics = areLyricsInFile ? lyricsOf(album, entries, say) : undefined;
    if (!areLyricsInFile && !areLyricsInline(entries.flatMap(({ task }) => (task ? versesOf(task) : [])))) continue;
    const coverCount = Math.max(0, MAX_FILES - audioCount - (lyrics ? 1 : 0));
    const lines = entries.map((entry, index) => entryLine(entry, index + 1, say));
    const songs = lines.flatMap((line, index) => [
      line,
      ...(areLyricsInFile ? [] : quoteLines(versesIn(entries[index]))),
    ]);
    const notes = lyrics ? [`-# ${say('music.lyricsInFile')}`] : [];
    const content = [...headlines, ...songs, ...notes, ...coverLine(entries, coverCount, say)].join('\n');
    const fits = audioCount + (lyrics ? 1 : 0) <= MAX_FILES && content.length <= MAX_CONTENT_LENGTH - RESERVED_LENGTH;
    if (fits || (areLyricsInFile && entries.length === 1)) return { mode: 'together', content, lyrics, coverCount };
  }
  return undefined;
}

function pagedLayout(album: Task, entries: readonly AlbumEntry[], say: Say): AlbumLayout {
  const pages = Math.max(1, Math.ceil(entries.length / PAGE_SIZE));
  const page = Math.min(pages - 1, Math.max(0, album.page ?? 0));
  const firstIndex = page * PAGE_SIZE;
  const pageEntries = entries.slice(firstIndex, firstIndex + PAGE_SIZE);
  const lines = pageEntries.map((entry, index) => entryLine(entry, firstIndex + index + 1, say));
  const footer = pages === 1 ? [] : [`-# ${say('music.page', { page: String(page + 1), pages: String(pages) })}`];
  const content = [...albumHeadlines(album, entries, say), ...lines, ...footer].join('\n');
  return { mode: 'pages', content, page, pages, shown: pageEntries };
}

export function albumMessage(
  album: Task,
  layout: AlbumLayout,
  { files, notes }: { files: readonly FilePlan[]; notes: readonly string[] },
  say: Say,
): MessagePlan {
  const content = [layout.content, ...notes].join('\n');
  const remove = buttonPlan(say('task.buttons.delete'), customIds.delete.id(album.id), { emoji: '🗑️' });
  const controls = layout.mode === 'pages' ? pageControls(album, layout, say) : [];
  return { content, overflow: 'file', files, controls: [...controls, ...(hasEnded(album) ? [remove] : [])] };
}

function pageControls(
  { id }: Task,
  { page, pages, shown }: Extract<AlbumLayout, { mode: 'pages' }>,
  say: Say,
): Control[] {
  const pageButton = (pageIndex: number, name: 'previous' | 'next'): Control => {
    const disabled = pageIndex < 0 || pageIndex >= pages;
    return buttonPlan(say(`music.buttons.${name}`), customIds.albumPage.id({ taskId: id, index: pageIndex }), {
      disabled,
    });
  };
  const options = shown.flatMap((entry) => {
    const { task, remoteId } = entry;
    if (!task) return [];
    return [{ value: task.id, label: songTitle(task) ?? remoteId, description: shortState(entry, say) }];
  });
  const placeholder = say('music.choose');
  return [
    ...(pages === 1 ? [] : [pageButton(page - 1, 'previous'), pageButton(page + 1, 'next')]),
    ...(options.length === 0
      ? []
      : [{ type: 'select', id: customIds.albumSong.id(id), placeholder, options } as const]),
  ];
}

/** The number of audio files or, until the task has ended, the expected number. */
function audioCountOf({ task }: AlbumEntry): number {
  if (!task || task.failure) return 0;
  const { tracks = [], media } = task;
  if (hasEnded(task)) return Math.max(media.length, tracks.filter(isFinished).length);
  return Math.max(USUAL_TRACKS, tracks.filter(({ state }) => state !== 'failed').length);
}

const versesIn = (entry: AlbumEntry | undefined): string[] => (entry?.task ? versesOf(entry.task) : []);

function lyricsOf(album: Task, entries: readonly AlbumEntry[], say: Say): FilePlan | undefined {
  const songs = entries.map((entry) => ({
    title: (entry.task && songTitle(entry.task)) ?? say('music.untitled'),
    verses: versesIn(entry),
  }));
  if (songs.every(({ verses }) => verses.length === 0)) return undefined;
  const name = `${fileNamePrefix(album, songs[0]?.title ?? '')}lyrics.txt`;
  return { name, bytes: lyricsFile(songs) };
}

/** Links to the covers that are not attached, because the message already has its maximum number of files. */
function coverLine(entries: readonly AlbumEntry[], attachedCount: number, say: Say): string[] {
  const linkTo = (track: StoredTrack, task: Task): string =>
    `[${escapeText(trackTitle(track, task, say), MAX_TITLE_LENGTH)}](<${track.cover}>)`;
  const links = entries.flatMap(({ task }) =>
    task ? finishedTracks(task).flatMap((track) => (track.cover === undefined ? [] : [linkTo(track, task)])) : [],
  );
  const unattachedLinks = links.slice(attachedCount);
  return unattachedLinks.length === 0
    ? []
    : [`-# ${say('labeled', { label: say('music.cover'), value: unattachedLinks.join(' · ') })}`];
}
