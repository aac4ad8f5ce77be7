import { asText } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { finishedTracks, lengthOf, songTitle, versesOf } from './tracks.ts';

const LONGEST_TITLE = 50;
const LONGEST_STYLE = 40;
const LONGEST_REASON = 60;

/** One of the tasks that an album shows; of one that is gone only its id at the gateway is left. */
export interface AlbumEntry {
  remoteId: string;
  task: Task | undefined;
}

/** How many there are, and how far they are. */
export function headLines(album: Task, entries: readonly AlbumEntry[], say: Say): string[] {
  const count = entries.length;
  const ended = entries.filter(({ task }) => !task || hasEnded(task)).length;
  const failed = entries.filter(({ task }) => task?.failure).length;
  const since = String(Math.floor(album.times.created / 1000));
  const standing = ended === count ? say('music.allEnded', { count }) : say('music.ended', { ended, count });
  return [
    say('task.headline', { prompt: say('music.album', { count }), owner: `<@${album.requesterId}>` }),
    failed === 0 ? standing : `${standing} ${say('music.someFailed', { count: failed })}`,
    ...(album.times.overdue === undefined || ended === count ? [] : [`-# ${say('task.overdue', { since })}`]),
  ];
}

/** One song in a line, under its number. */
export function entryLine(entry: AlbumEntry, number: number, say: Say): string {
  const { task, remoteId } = entry;
  const title = asText((task && songTitle(task)) ?? remoteId, LONGEST_TITLE);
  return `${number}. ${signOf(task)} **${title}** · ${stateOf(entry, say)}`;
}

function signOf(task: Task | undefined): string {
  if (!task) return '⚪';
  if (task.failure) return '🔴';
  if (hasEnded(task)) return '🟢';
  return isMissed(task) ? '❔' : '🟡';
}

/** A list leaves one out now and then; this often it is told. */
const MISSED = 3;
const isMissed = ({ unknown }: Task): boolean => (unknown?.answers ?? 0) >= MISSED;

/** How it stands or, once it can be heard, how long it is and how it sounds. */
function stateOf(entry: AlbumEntry, say: Say): string {
  const { task } = entry;
  const finished = task ? finishedTracks(task) : [];
  const style = finished[0]?.style?.trim();
  const facts = [plainState(entry, say), ...(style ? [asText(style, LONGEST_STYLE)] : [])];
  return facts.join(' · ');
}

/** The same without signs and styles, for where there is little room. */
export function plainState({ task }: AlbumEntry, say: Say): string {
  if (!task) return say('music.state.gone');
  if (task.failure?.cause === 'forgotten') return say('music.state.forgotten');
  if (task.failure) {
    const reason = asText(task.failure.reason ?? '', LONGEST_REASON);
    return reason === '' ? say('music.state.failed') : say('music.state.failedWith', { reason });
  }
  const heard = lengths(task, say);
  if (hasEnded(task))
    return heard ?? (versesOf(task).length > 0 ? say('music.state.words') : say('music.state.nothing'));
  const standing = isMissed(task) ? 'notKnown' : task.times.overdue !== undefined ? 'overdue' : underWay(task);
  return [...(heard === undefined ? [] : [heard]), say(`music.state.${standing}`)].join(' · ');
}

const underWay = ({ state }: Task): 'waiting' | 'working' => (state === 'running' ? 'working' : 'waiting');

function lengths(task: Task, say: Say): string | undefined {
  const finished = finishedTracks(task);
  const count = finished.length > 0 ? finished.length : task.media.length;
  if (count === 0) return undefined;
  const known = finished.flatMap(({ seconds }) => (seconds === undefined ? [] : [lengthOf(seconds)]));
  return [say('music.tracks', { count }), ...(known.length > 0 ? [known.join(' + ')] : [])].join(' · ');
}
