/** What a gateway says when it has taken an order. */
export interface Submission {
  /** Under this id the task is asked for from now on. */
  remoteId: string;
  /** The task waits for words (and perhaps a mask) before it begins. */
  needsInput: boolean;
  /** The prompt that a form for those words should start with. */
  finalPrompt?: string | undefined;
  /** Tasks before this one, when told. */
  queuedBehind?: number | undefined;
}

/** What any query says about a task now, in our words. */
export interface Snapshot {
  /** The gateway's id of the task, when the answer names it. */
  remoteId: string | undefined;
  state: SnapshotState;
  /** The gateway's own status word, for logs and detail pages. */
  word: string;
  /** Percent, when known. */
  progress: number | undefined;
  /** What was asked of the gateway in its own words: IMAGINE, UPSCALE, DESCRIBE … */
  action: string | undefined;
  /** Final results. Empty until the task has succeeded. */
  media: Medium[];
  /** A picture of work in progress. */
  preview: Medium | undefined;
  /** Music: one entry a track, whatever its state. */
  tracks: Track[];
  /** The prompt as the service understood it; for describe, shorten and lyrics the result itself. */
  text: string | undefined;
  actions: Action[];
  seed: string | undefined;
  failure: Failure | undefined;
  /** Succeeded, and yet nothing to show: a safety filter, usually. The task is finished all the same. */
  isEmpty: boolean;
  submittedAt: number | undefined;
  startedAt: number | undefined;
  finishedAt: number | undefined;
}

export type SnapshotState = 'queued' | 'running' | 'needs-input' | 'succeeded' | 'failed';

/** A picture, film or sound: at an address, or as base64 in the answer itself. */
export interface Medium {
  kind: 'image' | 'video' | 'audio';
  address?: string;
  base64?: string;
  /** As the gateway calls it; what it really is shows only in the bytes. */
  mediaType?: string;
  width?: number;
  height?: number;
  seconds?: number;
  thumbnail?: string;
  expiresAt?: number;
}

type TrackText = 'id' | 'title' | 'audio' | 'video' | 'cover' | 'lyrics' | 'style' | 'failure';

export interface Track extends Record<TrackText, string | undefined> {
  /** Only a finished track's address leads to a file; before that it may be a live stream. */
  state: 'running' | 'finished' | 'failed';
  seconds: number | undefined;
}

/** A button as the gateway offers it. */
export interface Action {
  customId: string;
  label: string;
  emoji: string;
  style: number | undefined;
}

export interface Failure {
  cause: 'failed' | 'cancelled' | 'expired';
  reason: string | undefined;
  code: string | undefined;
}
