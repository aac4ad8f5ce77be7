/** A field name split into words; each generated response joins them in its own casing. */
export type Name = readonly string[];

const names = (text: string): readonly Name[] => text.split(',').map((name) => name.trim().split(/\s+/));

/**
 * Words that real or plausible gateways use, collected independently of the readers. `measure.ts` counts how many of them
 * the readers do not know.
 */
export const vocabulary = {
  /** Names that mean "the id of the job". */
  jobIds: names(`task id, job id, generation id, render id, prediction id, run id, job uuid, task ref, job handle,
    generation identifier, gig id, errand id, assignment id, undertaking id`),
  plainIds: names('id, uuid, identifier'),
  /** Names of records that describe a job. */
  jobs: names('job, task, generation, current task, render, gig, errand, assignment'),
  wrappers:
    names(`data, result, response, payload, body, output, answer, reply, envelope, parcel, bundle, capsule, package,
    inner, wrapped, content`),
  states: names(`status, state, phase, stage, job status, task state, render status, lifecycle, current phase,
    processing stage, status text, job phase`),
  progress: names(`progress, percent, percentage, pct, progress percent, completion, job progress, percent complete,
    render progress, completion rate pct`),
  /** Names that mean "the result", by kind. */
  media: {
    image: names('image url, images, output images, image, result image, photo url, photo, generated images'),
    video: names('video url, videos, output video, video, result video, movie url, rendered video, generated videos'),
    audio: names('audio url, audios, output audio, song url, result audio, music url, track url, generated songs'),
  },
  results: names(
    'result url, outputs, files, file url, assets, artifact, download url, final url, deliverables, creations',
  ),
  /** Names that reveal nothing; only the file itself does. */
  uninformative: names(
    'goods, yield, harvest, fruit, canvas, master, item, blob, piece, x, location, href, handoff, parts',
  ),
} as const;

export const stateWords = {
  queued: ['queued', 'pending', 'submitted', 'waiting', 'in queue', 'not started', 'created'],
  running: ['running', 'processing', 'in progress', 'generating', 'started'],
  /** Words in none of the reader's tables. An unknown state must be read as running, never as finished. */
  strange: [
    'cooking',
    'brewing',
    'developing',
    'dreaming',
    'simmering',
    'sketching',
    'mixing',
    'weaving',
    'almost there',
  ],
  succeeded: ['succeeded', 'success', 'completed', 'complete', 'done', 'finished'],
  failed: ['failed', 'failure', 'error', 'cancelled', 'expired', 'rejected'],
} as const;

/** Ids of something other than the job; they can appear anywhere. */
export const decoyIds =
  names(`request id, trace id, user id, account id, model id, session id, workspace id, correlation id,
  project id, span id, channel id, parent task id, req id, organization id, worker id, conversation id, log id, webhook id`);

/** Records about something else, with an id of their own. */
export const decoyRecords = names('user, account, model, request, webhook, billing account, author, session');

/** Ids with unfamiliar names; they occur only in the objects that enclose the job's record. */
export const unfamiliarIds = names('ray, edge id, pod id, tenancy id, lane id');

/** URLs next to the result that are not the result. */
export const decoyCovers = names('cover url, thumbnail, thumbnail url, poster, preview url, cover, avatar url');
export const decoyPages = names(
  'page url, share url, share link, web page, status url, docs url, dashboard url, player url',
);
export const decoyInputs = names('input, request, params, reference, inputs, source, original request, input params');
export const inputFields = names('image, images, url, file, video, reference url, mask, first frame');
