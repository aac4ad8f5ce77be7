/** The gateway's response to an accepted submit. */
export interface Submission {
  /** The id under which the task is polled. */
  remoteId: string;
  /** Whether the task waits for a prompt (and perhaps a mask) before it starts. */
  needsInput: boolean;
  /** The initial text of the form for that prompt. */
  finalPrompt?: string | undefined;
  /** The number of tasks ahead in the gateway's queue, if known; polls do not repeat it. */
  queuedBehind?: number | undefined;
}

/** The state of a task as reported by a poll. */
export interface Snapshot {
  /** The gateway's id of the task, if the response names it. */
  remoteId: string | undefined;
  state: SnapshotState;
  /** The gateway's own status word, for logs and detail pages. */
  word: string;
  /** In percent, if known. */
  progress: number | undefined;
  /** The action in the gateway's words: IMAGINE, UPSCALE, DESCRIBE … */
  action: string | undefined;
  /** Final results. Empty until the task has succeeded. */
  media: Medium[];
  /** An image of the unfinished result. */
  preview: Medium | undefined;
  /** Music: one entry per track, in any state. */
  tracks: Track[];
  /** The prompt as the service understood it; for describe, shorten and lyrics, the result itself. */
  text: string | undefined;
  actions: Action[];
  seed: string | undefined;
  failure: ReportedFailure | undefined;
  /** The cost of the job in US dollars as exact decimal text, if the response contains it. */
  cost: string | undefined;
  /** Whether the task succeeded without a result, usually because of a safety filter. It is finished all the same. */
  isEmpty: boolean;
  submittedAt: number | undefined;
  startedAt: number | undefined;
  finishedAt: number | undefined;
}

export type SnapshotState = 'queued' | 'running' | 'needs-input' | 'succeeded' | 'failed';

/** A file of a result: at a URL, or as base64 in the response. */
export interface Medium {
  kind: 'image' | 'video' | 'audio';
  address?: string;
  base64?: string;
  /** As reported by the gateway; the real type can only be determined from the bytes. */
  mediaType?: string;
  width?: number;
  height?: number;
  seconds?: number;
  thumbnail?: string;
  expiresAt?: number;
}

type TrackText = 'id' | 'title' | 'audio' | 'video' | 'cover' | 'lyrics' | 'style' | 'failure';

export interface Track extends Record<TrackText, string | undefined> {
  /** Only the URL of a finished track leads to a file; before that, it may be a live stream. */
  state: 'running' | 'finished' | 'failed';
  seconds: number | undefined;
}

/** A button that the gateway offers. */
export interface Action {
  customId: string;
  label: string;
  emoji: string;
  style: number | undefined;
}

export interface ReportedFailure {
  cause: 'failed' | 'cancelled' | 'expired';
  reason: string | undefined;
  code: string | undefined;
}
