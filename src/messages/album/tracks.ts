import { asText } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import type { KeptTrack, Task } from '../../services/tasks/task.ts';

const LONGEST_TITLE = 60;
const LONGEST_STYLE = 60;
const LONGEST_REASON = 200;
/** Words that are read at a glance; longer ones are for a file. */
const SHORT_LYRICS = 300;

export const isFinished = ({ state, audio }: KeptTrack): boolean => state === 'finished' && audio !== undefined;

/** The tracks that can be heard. */
export const finishedTracks = ({ tracks = [] }: Task): KeptTrack[] => tracks.filter(isFinished);

/** What a song is called: by whoever ordered it, else by the gateway, else by what it is about. */
export function songTitle({ request, tracks = [], remoteId }: Task): string | undefined {
  const names = [request.title, ...tracks.map(({ title }) => title), request.prompt, request.style, remoteId];
  const name = names.find((one) => typeof one === 'string' && one.trim() !== '');
  return name === undefined ? undefined : String(name);
}

export function trackTitle({ title }: KeptTrack, task: Task, say: Say): string {
  return title?.trim() || songTitle(task) || say('music.untitled');
}

/** Minutes and seconds, as players show them. */
export function lengthOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** One track in a line. */
export function trackLine(track: KeptTrack, task: Task, say: Say): string {
  const facts = [
    `**${asText(trackTitle(track, task, say), LONGEST_TITLE)}**`,
    ...(track.seconds === undefined ? [] : [lengthOf(track.seconds)]),
    ...(track.style?.trim() ? [asText(track.style, LONGEST_STYLE)] : []),
  ];
  if (track.state === 'failed') {
    const reason = asText(track.failure ?? '', LONGEST_REASON);
    facts.push(reason === '' ? say('music.state.failed') : say('music.state.failedWith', { reason }));
  }
  return `${track.state === 'failed' ? '✖️' : '🎵'} ${facts.join(' · ')}`;
}

/** What is sung, each text once: the tracks of a song often share one. */
export function versesOf(task: Task): string[] {
  const sung = finishedTracks(task).map(({ lyrics = '' }) => lyrics.trim());
  return [...new Set([...sung, task.text?.trim() ?? ''])].filter((verses) => verses !== '');
}

/** Whether they are read in the message itself. */
export const areShort = (verses: readonly string[]): boolean => verses.join('\n').length <= SHORT_LYRICS;

export function quoted(verses: readonly string[]): string[] {
  return verses.flatMap((text) => text.split('\n').map((line) => `> ${asText(line, SHORT_LYRICS)}`.trimEnd()));
}

/** Lyrics as a file, under the titles of their songs. */
export function lyricsFile(songs: readonly { title: string; verses: readonly string[] }[]): Buffer {
  const texts = songs.flatMap(({ title, verses }) => (verses.length === 0 ? [] : [[title, ...verses].join('\n\n')]));
  return Buffer.from(`${texts.join('\n\n\n')}\n`);
}
