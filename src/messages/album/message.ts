import { customIds } from '../../discord/custom-ids.ts';
import { asText } from '../../discord/markdown.ts';
import type { Control, FilePlan, MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import {
  type AlbumEntry,
  areShort,
  entryLine,
  finishedTracks,
  headLines,
  isFinished,
  lyricsFile,
  plainState,
  quoted,
  songTitle,
  trackTitle,
  versesOf,
} from './lines.ts';

/** What a message holds. */
const MOST_FILES = 10;
const MOST_CONTENT = 2_000;
/** For addresses of what turns out not to fit an upload. */
const SPARE = 200;
/** Gateways make two tracks of an order, usually. */
const USUAL_TRACKS = 2;
/** As many lines as are short enough together. */
const PAGE = 15;
const LONGEST_TITLE = 50;

/** Everything in one message, while it fits; else a page of lines, from which one is chosen. */
export type AlbumLayout =
  | { as: 'together'; content: string; lyrics: FilePlan | undefined; covers: number }
  | { as: 'pages'; content: string; page: number; pages: number; shown: readonly AlbumEntry[] };

export function albumLayout(album: Task, entries: readonly AlbumEntry[], say: Say): AlbumLayout {
  return together(album, entries, say) ?? paged(album, entries, say);
}

/** An album of one stays together whatever it holds: there is nothing to choose from. */
function together(album: Task, entries: readonly AlbumEntry[], say: Say): AlbumLayout | undefined {
  const sounds = sum(entries.map(soundsIn));
  const head = headLines(album, entries, say);
  for (const inFile of [false, true]) {
    const lyrics = inFile ? lyricsOf(album, entries, say) : undefined;
    if (!inFile && !areShort(entries.flatMap(({ task }) => (task ? versesOf(task) : [])))) continue;
    const covers = Math.max(0, MOST_FILES - sounds - (lyrics ? 1 : 0));
    const lines = entries.map((entry, index) => entryLine(entry, index + 1, say));
    const songs = lines.flatMap((line, index) => [line, ...(inFile ? [] : quoted(versesIn(entries[index])))]);
    const notes = lyrics ? [`-# ${say('music.inFile')}`] : [];
    const content = [...head, ...songs, ...notes, ...coverLine(entries, covers, say)].join('\n');
    const fits = sounds + (lyrics ? 1 : 0) <= MOST_FILES && content.length <= MOST_CONTENT - SPARE;
    if (fits || (inFile && entries.length === 1)) return { as: 'together', content, lyrics, covers };
  }
  return undefined;
}

function paged(album: Task, entries: readonly AlbumEntry[], say: Say): AlbumLayout {
  const pages = Math.max(1, Math.ceil(entries.length / PAGE));
  const page = Math.min(pages - 1, Math.max(0, album.page ?? 0));
  const first = page * PAGE;
  const shown = entries.slice(first, first + PAGE);
  const lines = shown.map((entry, index) => entryLine(entry, first + index + 1, say));
  const footer = pages === 1 ? [] : [`-# ${say('music.page', { page: String(page + 1), pages: String(pages) })}`];
  return {
    as: 'pages',
    content: [...headLines(album, entries, say), ...lines, ...footer].join('\n'),
    page,
    pages,
    shown,
  };
}

/** The message of an album, with whatever of its songs has become a file. */
export function albumMessage(
  album: Task,
  layout: AlbumLayout,
  { files, notes }: { files: readonly FilePlan[]; notes: readonly string[] },
  say: Say,
): MessagePlan {
  const content = [layout.content, ...notes].join('\n');
  const remove: Control[] = hasEnded(album)
    ? [{ type: 'button', id: customIds.delete.id(album.id), label: say('task.buttons.delete'), emoji: '🗑️' }]
    : [];
  const turn = layout.as === 'pages' ? pageControls(album, layout, say) : [];
  return { content, overflow: 'file', files, controls: [...turn, ...remove] };
}

function pageControls(
  { id }: Task,
  { page, pages, shown }: Extract<AlbumLayout, { as: 'pages' }>,
  say: Say,
): Control[] {
  const turn = (to: number, name: 'previous' | 'next'): Control => ({
    ...{ type: 'button', id: customIds.albumPage.id({ taskId: id, place: to }), label: say(`music.buttons.${name}`) },
    disabled: to < 0 || to >= pages,
  });
  const options = shown.flatMap((entry) => {
    const { task, remoteId } = entry;
    if (!task) return [];
    return [{ value: task.id, label: songTitle(task) ?? remoteId, description: plainState(entry, say) }];
  });
  const select: Control[] =
    options.length === 0
      ? []
      : [{ type: 'select', id: customIds.albumSong.id(id), placeholder: say('music.choose'), options }];
  return [...(pages === 1 ? [] : [turn(page - 1, 'previous'), turn(page + 1, 'next')]), ...select];
}

/** How many sounds it holds or, before its end, will probably hold. */
function soundsIn({ task }: AlbumEntry): number {
  if (!task || task.failure) return 0;
  const { tracks = [], media } = task;
  if (hasEnded(task)) return Math.max(media.length, tracks.filter(isFinished).length);
  return Math.max(USUAL_TRACKS, tracks.filter(({ state }) => state !== 'failed').length);
}

const versesIn = (entry: AlbumEntry | undefined): string[] => (entry?.task ? versesOf(entry.task) : []);

function lyricsOf({ id }: Task, entries: readonly AlbumEntry[], say: Say): FilePlan | undefined {
  const songs = entries.map((entry) => ({
    title: (entry.task && songTitle(entry.task)) ?? say('music.untitled'),
    verses: versesIn(entry),
  }));
  if (songs.every(({ verses }) => verses.length === 0)) return undefined;
  return { name: `lyrics-${id}.txt`, bytes: lyricsFile(songs) };
}

/** Covers for which there is no room among the files. */
function coverLine(entries: readonly AlbumEntry[], room: number, say: Say): string[] {
  const covers = entries
    .flatMap(({ task }) => (task ? finishedTracks(task).map((track) => ({ task, track })) : []))
    .filter(({ track }) => track.cover !== undefined)
    .slice(room);
  if (covers.length === 0) return [];
  const links = covers.map(
    ({ task, track }) => `[${asText(trackTitle(track, task, say), LONGEST_TITLE)}](<${track.cover}>)`,
  );
  return [`-# ${say('music.cover')}: ${links.join(' · ')}`];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
