import type { Dialect } from './realtime/dialect.ts';

/** `spec` speaks the specification's words, `stock` the shapes of the wire facts. */
export type Profile = 'spec' | 'stock';
export const profiles = ['spec', 'stock'] as const;

export const videoShapes = ['flat', 'wrapped', 'short', 'legacy', 'native'] as const;
type VideoShape = (typeof videoShapes)[number];

/** What real gateways do that no document promises. Part 10 of the wire facts is the list. */
export interface Quirks {
  /** Codes 21 and 22 arrive as 1, except for local edit and custom zoom (wire facts, 1.2). */
  rewriteCodes: boolean;
  /** An image task has the status "" until it runs (wire facts, 1.3). */
  emptyStatus: boolean;
  /** What a video query looks like: c, a, b, a with the address in `fail_reason`, the vendor's own (wire facts, 3.3 and 3.5). */
  videoShape: VideoShape;
  /** The vendor path's query responds in the vendor's own shape, regardless of `videoShape` (wire facts, 3.5). */
  vendorPathNative: boolean;
  /** Finished tasks name no result, as after a safety filter (wire facts, 3.3). */
  successWithoutAddress: boolean;
  /** The vendor's answer inside a video task still says processing when the task has ended (wire facts, 3.3). */
  innerContradiction: boolean;
  /** A video or music task is unknown for its first second (wire facts, part 10). */
  lateTask: boolean;
  /** An image job without `Idempotency-Key` is refused (wire facts, part 4). */
  idempotencyRequired: boolean;
  /** Fine-tune events answer 501 (wire facts, part 0). */
  fineTunesMissing: boolean;
  /** The usage query ignores its dates (wire facts, part 7). */
  usageIgnoresDates: boolean;
  /** `GET /api/pricing` lists the prices of the models. */
  pricesListed: boolean;
  /** A task says how much quota it was charged: half a million is a dollar (wire facts, part 2). */
  tellsQuota: boolean;
  /** Variation, reroll and pan ask for words first (wire facts, 1.4). */
  remix: boolean;
  /** Image addresses name a host that is not this one: http://localhost:3000 (wire facts, 1.3). */
  localhostPictures: boolean;
  /** Image task ids are bare numbers, some beyond 2^53 (wire facts, 1.2). */
  numericIds: boolean;
  /** Tasks are deeper in their answers, under names that no document shows, with numbers for ids where those are digits. */
  unknownEnvelopes: boolean;
  /** Only a few custom ids are executed, and a favourite button is shown that never is (wire facts, 1.4). */
  refusedActions: boolean;
  /** Asking for an upscale again answers 21 with the task that has it (wire facts, 1.2). */
  repeatsKnown: boolean;
  /** `buttons` and `videoUrls` are JSON inside a string (wire facts, 9b). */
  listsAsText: boolean;
  /** Image jobs answer with `b64_json` instead of `url` (wire facts, part 4). */
  base64Results: boolean;
  /** A music batch that finds nothing has `data: null` (wire facts, part 2). */
  nullBatches: boolean;
  /** A music batch has no order and leaves out about a third of the polled tasks (wire facts, part 2). */
  looseBatches: boolean;
  /** The most ids in a music batch; longer ones are refused. */
  batchLimit: number;
  /** A finished `/v1/videos` object names no address: only `/content` has the video (wire facts, 3.4). */
  contentOnly: boolean;
  /** An unserved model gives 503, as if no channel had it (wire facts, part 8). */
  unknownModelUnavailable: boolean;
  /** From so many live image tasks of one key on, a submit answers 22; 0 is never (wire facts, 1.2). */
  queuedFrom: number;
  /** From so many on, it answers 23 and takes nothing; 0 is never (wire facts, 1.2). */
  fullFrom: number;
  /** `/v1/videos` insists on one of the two: then the other is refused. */
  videosBody: 'either' | 'json' | 'form';
  /** The largest request body in bytes (wire facts, part 8: 413). */
  bodyLimit: number;
  /** What is spoken on the socket (wire facts, part 6). */
  realtimeDialect: Dialect;
  /** How long a live session may last; 30 before it was 60 (wire facts, part 6). */
  realtimeMinutes: number;
}

const spec: Quirks = {
  rewriteCodes: false,
  emptyStatus: false,
  videoShape: 'flat',
  vendorPathNative: false,
  successWithoutAddress: false,
  innerContradiction: false,
  lateTask: false,
  idempotencyRequired: false,
  fineTunesMissing: false,
  usageIgnoresDates: false,
  pricesListed: false,
  tellsQuota: false,
  remix: false,
  localhostPictures: false,
  numericIds: false,
  unknownEnvelopes: false,
  refusedActions: false,
  repeatsKnown: false,
  listsAsText: false,
  base64Results: false,
  nullBatches: false,
  looseBatches: false,
  batchLimit: 1_000,
  contentOnly: false,
  unknownModelUnavailable: false,
  queuedFrom: 0,
  fullFrom: 0,
  videosBody: 'either',
  bodyLimit: 32 * 1024 * 1024,
  realtimeDialect: 'ga',
  realtimeMinutes: 60,
};

const stock: Quirks = {
  ...spec,
  rewriteCodes: true,
  emptyStatus: true,
  videoShape: 'wrapped',
  vendorPathNative: true,
  fineTunesMissing: true,
  usageIgnoresDates: true,
  pricesListed: true,
  tellsQuota: true,
  refusedActions: true,
  repeatsKnown: true,
  nullBatches: true,
};

export const quirksOf = (profile: Profile): Quirks => ({ ...(profile === 'stock' ? stock : spec) });
