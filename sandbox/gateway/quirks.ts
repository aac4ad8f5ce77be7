import type { Dialect } from './realtime/dialect.ts';

/** `spec` responds as the specification says, `stock` as common gateways do. */
export type Profile = 'spec' | 'stock';
export const profiles = ['spec', 'stock'] as const;

export const videoShapes = ['flat', 'wrapped', 'short', 'legacy', 'native'] as const;
export const callbackModes = ['all', 'progress', 'ends', 'none'] as const;
type VideoShape = (typeof videoShapes)[number];

/** Undocumented behaviour of real gateways. */
export interface Quirks {
  /** Codes 21 and 22 arrive as 1, except for local edit and custom zoom. */
  rewriteCodes: boolean;
  /** An image task has the status "" until it runs. */
  emptyStatus: boolean;
  /** The response format of a video query: variants c, a and b of the specification, variant a with the URL in `fail_reason`, or the vendor's own. */
  videoShape: VideoShape;
  /** Queries at the vendor path return the vendor's own format, regardless of `videoShape`. */
  vendorPathNative: boolean;
  /** Finished tasks contain no result URL, as after a safety filter. */
  successWithoutAddress: boolean;
  /** The vendor's response inside a finished video task still has the status "processing". */
  innerContradiction: boolean;
  /** A video or music task cannot be queried in its first second. */
  lateTask: boolean;
  /** An image job without `Idempotency-Key` is refused. */
  idempotencyRequired: boolean;
  /** An image job that is sent again under the same `Idempotency-Key` is a new job. */
  idempotencyIgnored: boolean;
  /** Fine-tune events return status 501. */
  fineTunesMissing: boolean;
  /** The usage query ignores its dates. */
  usageIgnoresDates: boolean;
  /** `GET /api/pricing` lists the prices of the models. */
  pricesListed: boolean;
  /** The total that the account can spend, in dollars, as reported by `GET /v1/dashboard/billing/subscription`; 0: not reported. */
  creditLimit: number;
  /** A task reports how much quota it was charged; 500,000 units of quota are one dollar. */
  tellsQuota: boolean;
  /** Variation, reroll and pan require a prompt first. */
  remix: boolean;
  /** Image URLs have the wrong host http://localhost:3000. */
  localhostPictures: boolean;
  /** Image task ids are bare numbers, some beyond 2^53. */
  numericIds: boolean;
  /** Tasks are nested more deeply, with undocumented field names, and numeric ids are JSON numbers. */
  unknownEnvelopes: boolean;
  /** Only some custom ids are executed, and there is a favourite button, which is always refused. */
  refusedActions: boolean;
  /** A short action text begins with the task id, and not with the action. */
  idFirst: boolean;
  /** A repeated upscale returns code 21 with the existing task. */
  repeatsKnown: boolean;
  /** `buttons` and `videoUrls` are JSON inside a string. */
  listsAsText: boolean;
  /** Image jobs return `b64_json` instead of `url`. */
  base64Results: boolean;
  /** A music batch query that finds nothing returns `data: null`. */
  nullBatches: boolean;
  /** A music batch query returns tasks in random order and omits about a third of them. */
  looseBatches: boolean;
  /** The maximum number of ids in a music batch query; more are refused. */
  batchLimit: number;
  /** A finished `/v1/videos` task has no URL; only `/content` returns the video. */
  contentOnly: boolean;
  /** An unknown model returns status 503, as if no channel served it. */
  unknownModelUnavailable: boolean;
  /** A submit returns code 22 if its key has at least this many unfinished image tasks; 0 means never. */
  queuedFrom: number;
  /** A submit is refused with code 23 if its key has at least this many unfinished image tasks; 0 means never. */
  fullFrom: number;
  /** The body format that `/v1/videos` accepts. */
  videosBody: 'either' | 'json' | 'form';
  /** Which callbacks are sent: many gateways send only some, or none. */
  callbacks: (typeof callbackModes)[number];
  /** The largest request body in bytes; a larger one gets status 413. */
  bodyLimit: number;
  /** The dialect of new live sessions. */
  realtimeDialect: Dialect;
  /** The time limit of a live session in minutes; gateways used to allow 30. */
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
  idempotencyIgnored: false,
  fineTunesMissing: false,
  usageIgnoresDates: false,
  pricesListed: false,
  creditLimit: 0,
  tellsQuota: false,
  remix: false,
  localhostPictures: false,
  numericIds: false,
  unknownEnvelopes: false,
  refusedActions: false,
  idFirst: false,
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
  callbacks: 'all',
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
  creditLimit: 100_000_000,
  tellsQuota: true,
  refusedActions: true,
  idFirst: true,
  repeatsKnown: true,
  nullBatches: true,
};

export const quirksOf = (profile: Profile): Quirks => ({ ...(profile === 'stock' ? stock : spec) });
