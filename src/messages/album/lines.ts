import { reasonText } from '../../discord/funnel.ts';
import { escapeText } from '../../discord/markdown.ts';
import { sentencesText } from '../../lib/formats.ts';
import { hasVisibleText } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { hasEnded, type StoredTrack, type Task } from '../../services/tasks/task.ts';

/** The length limits of title, style and reason in the line of a track, and in that of an album entry. */
const MAX_TRACK_LENGTHS = { title: 60, style: 60, reason: 200 };
const MAX_ENTRY_LENGTHS = { title: 50, style: 40, reason: 60 };
/** Longer lyrics are attached as a file. */
const MAX_INLINE_LYRICS = 300;

export const isFinished = ({ state, audio }: StoredTrack): boolean => state === 'finished' && audio !== undefined;

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

export function albumHeadlines(album: Task, entries: readonly AlbumEntry[], say: Say): string[] {
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

export function entryLine(entry: AlbumEntry, number: number, say: Say): string {
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
export function shortState({ task }: AlbumEntry, say: Say): string {
  if (!task) return say('music.state.noLongerStored');
  if (task.failure?.cause === 'forgotten') return say('music.state.notFound');
  if (task.failure) {
    const reason = escapeText(reasonText(task.failure.reason, say), MAX_ENTRY_LENGTHS.reason);
    return reason === '' ? say('music.state.failed') : say('music.state.failedWith', { reason });
  }
  const lengthsText = durationsText(task, say);
  if (hasEnded(task))
    return lengthsText ?? (versesOf(task).length > 0 ? say('music.state.lyricsOnly') : say('music.state.nothing'));
  const progress = isMissed(task) ? 'notFoundYet' : task.times.overdue !== undefined ? 'overdue' : progressOf(task);
  return [...(lengthsText === undefined ? [] : [lengthsText]), say(`music.state.${progress}`)].join(' · ');
}

const progressOf = ({ state }: Task): 'waiting' | 'working' => (state === 'running' ? 'working' : 'waiting');

function durationsText(task: Task, say: Say): string | undefined {
  const finished = finishedTracks(task);
  const count = finished.length > 0 ? finished.length : task.media.length;
  if (count === 0) return undefined;
  const knownLengths = finished.flatMap(({ seconds }) => (seconds === undefined ? [] : [durationText(seconds)]));
  return [say('music.tracks', { count }), ...(knownLengths.length > 0 ? [knownLengths.join(' + ')] : [])].join(' · ');
}
