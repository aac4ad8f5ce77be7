export interface Limits {
  /** Per file, without Nitro and without boosts (documentation, reference, "Uploading Files"). */
  readonly uploadBytes: number;
  readonly globalPerSecond: number;
  /** Discord does not publish the sizes of its buckets (api-docs#4413); these come from observed headers. */
  readonly messagesPerChannel: number;
  readonly editsPerChannel: number;
  readonly channelWindowMs: number;
  readonly webhookPerToken: number;
  readonly webhookWindowMs: number;
  /** The number of `POST` requests that create or overwrite one command, for each scope of commands. */
  readonly commandsPerScope: number;
  readonly commandsWindowMs: number;
  readonly otherPerRoute: number;
  readonly otherWindowMs: number;
  readonly acknowledgeMs: number;
  readonly tokenMs: number;
  /** The number of follow-ups if only the user has installed the application. */
  readonly userInstallFollowUps: number;
  /** Counts responses with status 401, 403 and 429 together; above this number, Cloudflare blocks the IP address. */
  readonly invalidRequests: number;
  readonly invalidWindowMs: number;
  /** Edits of messages older than an hour have their own bucket (code 30046). */
  readonly oldEdits: number;
  readonly oldEditsWindowMs: number;
  readonly oldAfterMs: number;
  /** New names of one channel. No header announces this limit (api-docs#1900). */
  readonly renames: number;
  readonly renamesWindowMs: number;
  readonly nonceMs: number;
  readonly attachmentLinkMs: number;
  /** Per guild (code 160006). */
  readonly activeThreads: number;
  readonly commandCreatesPerDay: number;
  readonly gatewaySendsPerMinute: number;
  /** The number of guilds that one session may have before sharding is required (code 4011). */
  readonly guildsPerShard: number;
  /** How long a session without a connection can be resumed; documented only as "a few minutes". */
  readonly sessionResumeMs: number;
  /** The number of events that a session keeps for a resume; Discord does not publish its number. */
  readonly sessionEvents: number;
  /** The number of session starts per period; one more resets the token. */
  readonly identifiesPerPeriod: number;
  readonly identifyPeriodMs: number;
  /** Within this time, one session may start for each rate limit key, which is the shard's id modulo `maxConcurrency`. */
  readonly identifyWindowMs: number;
  readonly maxConcurrency: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export const discordLimits: Limits = {
  uploadBytes: 10 * 1024 * 1024,
  globalPerSecond: 50,
  messagesPerChannel: 5,
  editsPerChannel: 5,
  channelWindowMs: 5 * second,
  webhookPerToken: 5,
  webhookWindowMs: 2 * second,
  commandsPerScope: 5,
  commandsWindowMs: 20 * second,
  otherPerRoute: 50,
  otherWindowMs: second,
  acknowledgeMs: 3 * second,
  tokenMs: 15 * minute,
  userInstallFollowUps: 5,
  invalidRequests: 10_000,
  invalidWindowMs: 10 * minute,
  oldEdits: 3,
  oldEditsWindowMs: 20 * second,
  oldAfterMs: hour,
  renames: 2,
  renamesWindowMs: 10 * minute,
  nonceMs: 5 * minute,
  attachmentLinkMs: 24 * hour,
  activeThreads: 1_000,
  commandCreatesPerDay: 200,
  gatewaySendsPerMinute: 120,
  guildsPerShard: 2_500,
  sessionResumeMs: 3 * minute,
  sessionEvents: 1_000,
  identifiesPerPeriod: 1_000,
  identifyPeriodMs: 24 * hour,
  identifyWindowMs: 5 * second,
  maxConcurrency: 1,
};
