import { type Place, places } from '../places.ts';
import type { Medium } from '../snapshot.ts';

/** Families whose responses are read differently. Image-to-video and both video endpoints share one. */
export type Family = 'imgx' | 'image' | 'video' | 'music';

const noPlaces: readonly Place[] = [];

/** Outer words take precedence over inner ones, because an inner record may be stale: a removed task keeps its vendor's "processing". */
const status = places('task_status', 'job.status', 'status', 'state');

const progress = places('progress', 'job.progress', 'data.progress');

const reason = places(
  `failReason fail_reason task_status_msg error.message job.error.message data.error.message error
  data[0].metadata.error_message reason message description`,
);

const code = places('error.code', 'job.error.code', 'data.error.code', 'error.type');

const images = places(
  `data[] result.data[] response.data[] data.data[] outputs[] result.images[] images[] result_url url`,
);

/** Older builds put the finished video's URL into `fail_reason`, so it comes last. */
const videos = places(
  `result_url url metadata.url task_result.videos[] data.data.task_result.videos[] data.task_result.videos[]
  video.url video_url videos[] output.video_url output.url content.video_url data.content.video_url
  data.result_url data.url data.video_url data.metadata.url fail_reason`,
);

const defaults = {
  /** Places where only a string is an id; a number is a database row. */
  textId: noPlaces,
  status,
  progress,
  action: noPlaces,
  tracks: noPlaces,
  preview: noPlaces,
  text: noPlaces,
  actions: noPlaces,
  reason,
  code,
  /** Where a single track is found that is not in a list. */
  loneTrack: noPlaces,
  /** The result of an action that returns text. */
  textResult: noPlaces,
  /** Where it is in some gateways; in others, these are fields of the request. */
  textFallback: noPlaces,
};

/** Where each value may be found, best place first. Paths start at the task's record, inside all envelopes. */
export interface PlaceTable extends Readonly<Record<'id' | keyof typeof defaults, readonly Place[]>> {
  /** Kinds in order of preference, because a still image of a video is not the result. */
  media: readonly { kind: Medium['kind']; paths: readonly Place[] }[];
}

export const tables: Readonly<Record<Family, PlaceTable>> = {
  imgx: {
    ...defaults,
    id: places('id', 'taskId', 'task_id'),
    // In this family, `state` is the caller's own tag.
    status: places('status'),
    action: places('action'),
    media: [
      { kind: 'video', paths: places('videoUrls[]', 'videoUrl', 'video_url') },
      { kind: 'image', paths: places('imageUrls[]', 'imageUrl', 'image_url', 'properties.imageUrl') },
    ],
    preview: places('imageUrl', 'image_url', 'imageUrls[]', 'thumbnailUrl'),
    text: places('properties.finalPrompt', 'finalPrompt'),
    textResult: places('properties.finalPrompt', 'finalPrompt'),
    textFallback: places('promptEn', 'description', 'prompt'),
    actions: places('buttons[]'),
  },
  image: {
    ...defaults,
    id: places('id', 'job.id', 'job_id', 'task_id'),
    media: [{ kind: 'image', paths: images }],
    text: places('data[0].revised_prompt', 'result.data[0].revised_prompt'),
  },
  video: {
    ...defaults,
    id: places('task_id', 'taskId'),
    textId: places('id'),
    media: [{ kind: 'video', paths: videos }],
  },
  music: {
    ...defaults,
    id: places('task_id', 'taskId'),
    textId: places('id'),
    action: places('action'),
    media: [{ kind: 'audio', paths: noPlaces }],
    tracks: places('data.data[]', 'data.clips[]', 'clips[]', 'response.sunoData[]', 'data[]'),
    loneTrack: places('data'),
    textResult: places('data.data.text', 'data.text', 'text'),
    reason: [...places('fail_reason', 'data[0].metadata.error_message'), ...reason],
  },
};

/** Actions of the image-prompt and music families that return text. */
export const TEXT_ACTIONS: ReadonlySet<string> = new Set(['DESCRIBE', 'SHORTEN', 'LYRICS']);

export const submissionPlaces = {
  /** Where ids are found. In the second list, only strings are ids, because a number is a database row. */
  ids: {
    imgx: [places('result', 'task_id', 'taskId', 'id', 'data.task_id', 'data.taskId', 'data.id', 'data'), noPlaces],
    image: [places('id', 'job.id', 'job_id', 'task_id', 'data.id', 'data.task_id'), places('data')],
    video: [places('task_id', 'data.task_id', 'data.taskId', 'taskId'), places('id', 'data.id', 'data')],
    music: [places('data.task_id', 'data.taskId', 'task_id', 'taskId'), places('data', 'id', 'data.id', 'result')],
  },
  status: places('status', 'data.task_status', 'data.status', 'job.status'),
  code: places('code'),
  finalPrompt: places('properties.finalPrompt'),
  queuedBehind: places('properties.numberOfQueues'),
} as const;

export const timePlaces = {
  submitted: places('submitTime', 'submit_time', 'created_at', 'job.created_at', 'created'),
  started: places('startTime', 'start_time', 'started_at'),
  finished: places('finishTime', 'finish_time', 'completed_at', 'finished_at'),
} as const;

export const seedPlaces = places('seed', 'metadata.seed', 'data.metadata.seed', 'properties.seed');

export const buttonPlaces = {
  customId: places('customId', 'custom_id'),
  label: places('label'),
  emoji: places('emoji', 'emoji.name'),
  style: places('style'),
} as const;
