import type { Medium, Snapshot, Track } from '../gateway/snapshot.ts';
import { hasEnded, MAX_LYRICS_LENGTH, type StoredMedium, type StoredTrack, type Task, type TaskState } from './task.ts';

/** The order of the states before the end. A snapshot with an earlier state has arrived late and is ignored. */
const STATE_ORDER: Readonly<Partial<Record<TaskState, number>>> = {
  accepted: 0,
  queued: 1,
  'needs-input': 2,
  running: 3,
};

/** Merges a snapshot into the task. A task that has ended is returned unchanged. */
export function advance(task: Task, snapshot: Snapshot, now: number): Task {
  if (hasEnded(task)) return task;
  const updated = withFacts(task, snapshot, now);
  const state = isStillStreaming(task, snapshot) ? 'running' : snapshot.state;
  switch (state) {
    case 'succeeded':
      return {
        ...updated,
        state: 'ready',
        progress: 100,
        preview: undefined,
        ...(snapshot.cost !== undefined && { cost: snapshot.cost }),
        media: snapshot.media.map((medium) => toStoredMedium(medium, task.media, now)),
        times: { ...updated.times, ended: now },
      };
    case 'failed': {
      const failure = snapshot.failure ?? { cause: 'failed' as const, reason: undefined, code: undefined };
      return { ...updated, state: failure.cause, failure, times: { ...updated.times, ended: now } };
    }
    case 'needs-input':
      return waitForPrompt({ ...updated, times: { ...updated.times, lastPending: now } }, now);
    default:
      return {
        ...updated,
        state: isLaterState(task.state, state) ? state : task.state,
        times: { ...updated.times, lastPending: now },
      };
  }
}

/** Some gateways report a song as finished while its tracks are still streaming. After the wait limit, a running track no longer counts. */
const isStillStreaming = ({ times }: Task, { state, tracks }: Snapshot): boolean =>
  state === 'succeeded' && times.overdue === undefined && tracks.some((track) => track.state === 'running');

/** A gateway takes a moment to acknowledge a prompt. If it is still waiting for one after this time, another can be sent. */
const PROMPT_TIMEOUT_MS = 20_000;

function waitForPrompt(task: Task, now: number): Task {
  if (!isLaterState(task.state, 'needs-input') && task.state !== 'needs-input') return task;
  const { wordsSent, wordsTaken, ...times } = task.times;
  if (wordsSent === undefined) return { ...task, state: 'needs-input' };
  if (now - (wordsTaken ?? wordsSent) < PROMPT_TIMEOUT_MS) return task;
  return { ...task, state: 'needs-input', times: { ...times, wordsLost: now } };
}

function withFacts(task: Task, snapshot: Snapshot, now: number): Task {
  const { preview, seed, text, actions, word, tracks } = snapshot;
  const { unknown: _, ...rest } = task;
  return {
    ...rest,
    word,
    progress: maxProgress(task.progress, snapshot.progress),
    preview:
      preview?.address === undefined ? task.preview : toStoredMedium(preview, task.preview ? [task.preview] : [], now),
    seed: seed ?? task.seed,
    text: text ?? task.text,
    actions: actions.length > 0 ? actions : task.actions,
    ...(tracks.length > 0 && { tracks: tracks.slice(0, MAX_TRACKS).map(toStoredTrack) }),
    times: {
      ...task.times,
      remoteStarted: snapshot.startedAt ?? task.times.remoteStarted,
      remoteFinished: snapshot.finishedAt ?? task.times.remoteFinished,
      started: task.times.started ?? startOf(task, snapshot, now),
    },
  };
}

/** These limits restrict how much a malicious response can make the bot store. */
const MAX_TRACKS = 20;
const MAX_TITLE_LENGTH = 200;
const MAX_STYLE_LENGTH = 1_000;

/** The URL of a live stream is not stored, because it differs in every response. */
function toStoredTrack({ state, title, audio, cover, lyrics, style, seconds, failure }: Track): StoredTrack {
  return {
    state,
    title: title?.slice(0, MAX_TITLE_LENGTH),
    ...(state === 'finished' && { audio, cover }),
    lyrics: lyrics?.slice(0, MAX_LYRICS_LENGTH),
    style: style?.slice(0, MAX_STYLE_LENGTH),
    seconds,
    failure: failure?.slice(0, MAX_STYLE_LENGTH),
  };
}

/** The gateway's clock may be wrong. If it also reports when it accepted the task, only the difference is used. */
function startOf({ times: { accepted } }: Task, { state, submittedAt, startedAt }: Snapshot, now: number) {
  if (startedAt === undefined || accepted === undefined || state === 'queued') return undefined;
  const reportedStart = submittedAt === undefined ? startedAt : accepted + startedAt - submittedAt;
  return Math.min(now, Math.max(accepted, reportedStart));
}

const maxProgress = (previous: number | undefined, current: number | undefined): number | undefined =>
  previous === undefined || current === undefined ? (current ?? previous) : Math.max(previous, current);

const isLaterState = (from: TaskState, to: TaskState): boolean => (STATE_ORDER[to] ?? 0) > (STATE_ORDER[from] ?? 0);

/** Bytes inside a response are not stored. They are fetched again when they are needed. */
function toStoredMedium(
  { base64: _, ...medium }: Medium,
  knownMedia: readonly StoredMedium[],
  now: number,
): StoredMedium {
  const knownMedium = knownMedia.find(({ address }) => address !== undefined && address === medium.address);
  return { ...medium, firstSeenAt: knownMedium?.firstSeenAt ?? now };
}
