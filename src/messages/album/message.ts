import { customIds } from '../../discord/custom-ids.ts';
import { reasonText } from '../../discord/funnel.ts';
import { escapeText } from '../../discord/markdown.ts';
import { buttonPlan, type Control, type FilePlan, type MessagePlan } from '../../discord/plan.ts';
import { sentencesText } from '../../lib/formats.ts';
import { hasVisibleText } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { hasEnded, type StoredTrack, type Task } from '../../services/tasks/task.ts';
import { fileNamePrefix } from '../file-names.ts';

/** The length limits of title, style and reason in the line of a track, and in that of an album entry. */
const MAX_TRACK_LENGTHS = { title: 60, style: 60, reason: 200 };
const MAX_ENTRY_LENGTHS = { title: 50, style: 40, reason: 60 };
/** Longer lyrics are attached as a file. */
const MAX_INLINE_LYRICS = 300;

const isFinished = ({ state, audio }: StoredTrack): boolean => state === 'finished' && audio !== undefined;

export const finishedTracks = ({ tracks = [] }: Task): StoredTrack[] => tracks.filter(isFinished);

/** The name of a song: its title from the request or else from the gateway, or else its prompt, style or id. */
export function songTitle({ request, tracks = [], remoteId }: Task): string | undefined {
  const names = [request.title, ...tracks.map(({ title }) => title), request.prompt, request.style, remoteId];
  const name = names.find((one) => typeof one === 'string' && hasVisibleText(one));
  return name === undefined ? undefined : String(name);
}

export const trackTitle = ({ title = '' }: StoredTrack, task: Task, say: Say): string =>
  hasVisibleText(title) ? title.trim() : (songTitle(task) ?? say('music.untitled'));

function durationText(seconds: number): string {
  const totalSeconds = Math.max(0, Math.round(seconds));
  return `${Math.floor(totalSeconds / 60)}:${String(totalSeconds % 60).padStart(2, '0')}`;
}

export function trackLine(track: StoredTrack, task: Task, say: Say): string {
  const facts = [
    `**${escapeText(trackTitle(track, task, say), MAX_TRACK_LENGTHS.title)}**`,
    ...(track.seconds === undefined ? [] : [durationText(track.seconds)]),
    ...(track.style?.trim() ? [escapeText(track.style, MAX_TRACK_LENGTHS.style)] : []),
  ];
  if (track.state === 'failed') {
    const reason = escapeText(track.failure ?? '', MAX_TRACK_LENGTHS.reason);
    facts.push(reason === '' ? say('music.state.failed') : say('music.state.failedWith', { reason }));
  }
  return `${track.state === 'failed' ? '✖️' : '🎵'} ${facts.join(' · ')}`;
}

/** The lyrics without duplicates, because the tracks of a song often have the same ones. */
export function versesOf(task: Task): string[] {
  const lyrics = finishedTracks(task).map(({ lyrics = '' }) => lyrics.trim());
  return [...new Set([...lyrics, task.text?.trim() ?? ''])].filter((verses) => verses !== '');
}

export const areLyricsInline = (verses: readonly string[]): boolean => verses.join('\n').length <= MAX_INLINE_LYRICS;

export function quoteLines(verses: readonly string[]): string[] {
  return verses.flatMap((text) => text.split('\n').map((line) => `> ${escapeText(line, MAX_INLINE_LYRICS)}`.trimEnd()));
}

export function lyricsFile(songs: readonly { title: string; verses: readonly string[] }[]): Buffer {
  const sections = songs.flatMap(({ title, verses }) => (verses.length === 0 ? [] : [[title, ...verses].join('\n\n')]));
  return Buffer.from(`${sections.join('\n\n\n')}\n`);
}

/** One task of an album. If the task has been deleted, only its id at the gateway is left. */
export interface AlbumEntry {
  remoteId: string;
  task: Task | undefined;
}

function albumHeadlines(album: Task, entries: readonly AlbumEntry[], say: Say): string[] {
  const count = entries.length;
  const endedCount = entries.filter(({ task }) => !task || hasEnded(task)).length;
  const failedCount = entries.filter(({ task }) => task?.failure).length;
  const since = String(Math.floor(album.times.created / 1000));
  const progress =
    endedCount === count ? say('music.allEnded', { count }) : say('music.ended', { ended: endedCount, count });
  return [
    say('task.headline', { prompt: say('music.songs', { count }), owner: `<@${album.requesterId}>` }),
    failedCount === 0 ? progress : sentencesText([progress, say('music.someFailed', { count: failedCount })], say),
    ...(album.times.overdue === undefined || endedCount === count ? [] : [`-# ${say('task.overdue', { since })}`]),
  ];
}

function entryLine(entry: AlbumEntry, number: number, say: Say): string {
  const { task, remoteId } = entry;
  const title = escapeText((task && songTitle(task)) ?? remoteId, MAX_ENTRY_LENGTHS.title);
  return `${number}. ${emojiOf(task)} **${title}** · ${stateOf(entry, say)}`;
}

function emojiOf(task: Task | undefined): string {
  if (!task) return '⚪';
  if (task.failure) return '🔴';
  if (hasEnded(task)) return '🟢';
  return isMissed(task) ? '❔' : '🟡';
}

/** A gateway's list may miss a task now and then; after this many times the message says so. */
const MAX_MISSES = 3;
const isMissed = ({ unknown }: Task): boolean => (unknown?.answers ?? 0) >= MAX_MISSES;

/** The state of a song, or its length and style once it can be played. */
function stateOf(entry: AlbumEntry, say: Say): string {
  const { task } = entry;
  const finished = task ? finishedTracks(task) : [];
  const style = finished[0]?.style?.trim();
  const facts = [shortState(entry, say), ...(style ? [escapeText(style, MAX_ENTRY_LENGTHS.style)] : [])];
  return facts.join(' · ');
}

/** The state without emoji and style, for places with little space. */
function shortState({ task }: AlbumEntry, say: Say): string {
  if (!task) return say('music.state.noLongerStored');
  if (task.failure?.cause === 'forgotten') return say('music.state.notFound');
  if (task.failure) {
    const reason = escapeText(reasonText(task.failure.reason, say), MAX_ENTRY_LENGTHS.reason);
    return reason === '' ? say('music.state.failed') : say('music.state.failedWith', { reason });
  }
  const lengthsText = durationsText(task, say);
  if (hasEnded(task))
    return lengthsText ?? (versesOf(task).length > 0 ? say('music.state.lyricsOnly') : say('music.state.nothing'));
  const state = task.state === 'running' ? 'working' : 'waiting';
  const progress = isMissed(task) ? 'notFoundYet' : task.times.overdue !== undefined ? 'overdue' : state;
  return [...(lengthsText === undefined ? [] : [lengthsText]), say(`music.state.${progress}`)].join(' · ');
}

function durationsText(task: Task, say: Say): string | undefined {
  const finished = finishedTracks(task);
  const count = finished.length > 0 ? finished.length : task.media.length;
  if (count === 0) return undefined;
  const knownLengths = finished.flatMap(({ seconds }) => (seconds === undefined ? [] : [durationText(seconds)]));
  return [say('music.tracks', { count }), ...(knownLengths.length > 0 ? [knownLengths.join(' + ')] : [])].join(' · ');
}

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

function pageControls({ id }: Task, { page, pages, shown }: Extract<AlbumLayout, { mode: 'pages' }>, say: Say) {
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
