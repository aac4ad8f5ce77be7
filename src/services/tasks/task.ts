import { z } from 'zod';
import { languages } from '../../lib/languages.ts';
import { fingerprint } from '../media/fingerprint.ts';
import { answer } from './answer.ts';
import { amount, estimate } from './estimate.ts';
import type { CommonRequest, TaskKind, TaskRequests, Traits } from './kind-spec.ts';

/** Increased with every change that an older bot could not read. The migrations are in `store/task-rows.ts`. */
export const TASK_VERSION = 1;

/**
 * waiting (for its turn) → submitting → accepted → queued | running | needs-input → ready → delivered, or another end. `unconfirmed`: it
 * is unknown whether the gateway accepted it.
 */
export const taskStates = [
  'waiting',
  'submitting',
  'accepted',
  'queued',
  'running',
  'needs-input',
  'ready',
  'delivered',
  'failed',
  'unconfirmed',
  'cancelled',
  'expired',
] as const;

export type TaskState = (typeof taskStates)[number];

const time = z.number();

/** A stored result: its URL and facts, never its bytes. */
const keptMedium = z.object({
  kind: z.enum(['image', 'video', 'audio']),
  /** The gateway's final URL. If it is missing, the result was inside the response, and is fetched again when it is needed. */
  address: z.string().optional(),
  mediaType: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  seconds: z.number().optional(),
  thumbnail: z.string().optional(),
  firstSeenAt: time,
  expiresAt: time.optional(),
});

/** Longer lyrics are truncated, since they are only shown and never sent again. */
export const MAX_LYRICS_LENGTH = 10_000;

/** A track of a song. Only a finished one has audio that can be fetched. */
const keptTrack = z.object({
  state: z.enum(['running', 'finished', 'failed']),
  title: z.string().optional(),
  audio: z.string().optional(),
  cover: z.string().optional(),
  lyrics: z.string().optional(),
  style: z.string().optional(),
  seconds: z.number().optional(),
  failure: z.string().optional(),
});

/** Why a live conversation is over: the member ended it, it was silent for too long, or it could not continue. */
const talkEnds = ['ended', 'idle', 'lost'] as const;
export type TalkEnd = (typeof talkEnds)[number];

/** A live conversation. Its utterances are separate tasks, listed here in order. */
const talk = z.object({
  turns: z.array(z.string()),
  heardAt: z.number(),
  end: z.enum(talkEnds).optional(),
  /** The turn whose words name the thread; empty before the first one. Undefined if the bot does not name the thread. */
  namedBy: z.string().optional(),
});

export type Talk = z.output<typeof talk>;

const action = z.object({
  customId: z.string(),
  label: z.string(),
  emoji: z.string(),
  style: z.number().optional(),
});

const refusalVariables = z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]));

/** The gateway's text, safe to show, or a sentence of the bot. */
export const failureReason = z.union([
  z.string(),
  z.object({ name: z.string(), variables: z.record(z.string(), z.number()) }),
]);

const failure = z.object({
  cause: z.enum([
    'failed',
    'cancelled',
    'expired',
    'forgotten',
    'unconfirmed',
    'dismissed',
    'refused',
    'withdrawn',
    'cut',
    'interrupted',
    'stopped',
  ]),
  reason: failureReason.optional(),
  code: z.string().optional(),
  /** Set if the bot itself refused the task when its turn came: the key of the text and its variables. */
  refusal: z.object({ key: z.string(), variables: refusalVariables }).optional(),
});

const message = z.object({ channelId: z.string(), id: z.string() });

/** Everything that a link to a message needs. Without a guild id, the message is in direct messages. */
const address = message.extend({ guildId: z.string().optional() });

/** How the interaction lets the bot reach the member. */
const route = z.object({
  applicationId: z.string(),
  /** Undefined if the task was requested in another way. */
  interactionId: z.string().optional(),
  /** It is deleted as soon as possible, because with a valid token anyone can reply as the bot. */
  token: z.string().optional(),
  tokenExpiresAt: time,
  /** The message that shows the task, if it is not the interaction's original reply. */
  followUpId: z.string().optional(),
  /** Whether only the member can see the result. It must never be posted where others can read it. */
  isPrivate: z.boolean(),
  /** Whether the result is shown in a private thread, so that only its members can see it. */
  isInPrivateThread: z.boolean().optional(),
  install: z.enum(['guild', 'user']),
  /** Whether the bot can post messages and files in the channel. */
  mayPost: z.boolean(),
  /** Whether the bot can send voice messages there. Undefined if unknown. */
  maySpeak: z.boolean().optional(),
  uploadLimit: z.number(),
  locale: z.string(),
});

/** A message that is about to be posted. After a crash, this is where to look for it. */
const intention = z.object({
  by: z.enum(['channel', 'direct']),
  channelId: z.string(),
  nonce: z.string(),
  at: time,
});

/** The end of the task is shown, and its owner is still to be pinged. */
const pendingPing = z.object({
  shownAt: time,
  /** When the ping was about to be posted for the first time. From then on, only Discord's nonce prevents a second ping. */
  goingAt: time.optional(),
});

const delivery = z.object({
  progressEdits: z.number(),
  intention: intention.optional(),
  /** When the result was first about to be written, with an interaction's token, to a message that the bot cannot read without that token. */
  unseenSince: time.optional(),
  call: pendingPing.optional(),
  /** Why no message shows the end: it was deleted, or the member could not be reached. */
  undeliverable: z.enum(['deleted', 'no-way']).optional(),
});

/** What a server's moderation decided about a task's results once they were available. */
const review = z.object({
  /** `held`: nothing is shown until a moderator decides. `deleted`: the results were deleted by a moderator or refused immediately. */
  outcome: z.enum(['passed', 'held', 'shown', 'deleted']),
  /** The category that the moderation service flagged; undefined if the service was unavailable. */
  category: z.string().optional(),
  at: time,
  /** The channel where moderators are asked, and the message there once it is posted. */
  channelId: z.string().optional(),
  messageId: z.string().optional(),
});

/** Set if the task was live when its store was restored from a backup, so more may have happened to the task than is stored. */
const restored = z.object({
  at: time,
  /** The task had not been sent at the time of the backup, so its idempotency key may differ from the one that was used later. */
  wasWaiting: z.literal(true).optional(),
});

export const taskFacts = z.object({
  version: z.literal(TASK_VERSION),
  id: z.string(),
  state: z.enum(taskStates),
  idempotencyKey: z.string(),
  remoteId: z.string().optional(),
  hasCallback: z.literal(true).optional(),
  requesterId: z.string(),
  guildId: z.string().optional(),
  channelId: z.string().optional(),
  /** The channel of the thread where the task was ordered. */
  parentChannelId: z.string().optional(),
  isAgeRestricted: z.literal(true).optional(),
  /**
   * The roles of the owner when the task was requested. They are stored until the gateway has accepted the task, because rules for
   * roles are also applied when its turn comes.
   */
  roleIds: z.array(z.string()).optional(),
  message: message.optional(),
  /** Other messages of the bot about the task, oldest first, such as the owner ping and results that were posted for others. */
  beside: z.array(address).optional(),
  /** Of its message; undefined: English. */
  language: z.enum(languages).optional().catch(undefined),
  route,
  delivery,
  /** Set if the message of its batch shows the task, so that it needs none of its own. */
  isShownByParent: z.literal(true).optional(),
  parentId: z.string().optional(),
  rootId: z.string().optional(),
  /** The task that replaced this one when the member tried again. */
  successorId: z.string().optional(),
  /** When its unknown outcome stopped counting, because its owner had not decided for too long. */
  releasedAt: time.optional(),
  /** Whether the gateway may also carry out the order of its successor, so that both count. */
  isRepeated: z.literal(true).optional(),
  /** The task that this one replaced, with the same order and the same key. */
  predecessorId: z.string().optional(),
  restored: restored.optional(),
  /** Whether its successor has sent the same order under the same key, so that only the successor can send it again. */
  handedOver: z.literal(true).optional(),
  model: z.string().optional(),
  /** When its owner wants to be pinged; undefined: after more than a minute. */
  ping: z.enum(['never', 'always']).optional(),
  estimate: estimate.optional(),
  /** As the gateway reported it. */
  cost: amount.optional(),
  durationKey: z.string(),
  /** How many turns in a row its owner has, if more than one. */
  weight: z.number().optional(),
  place: z.number().optional(),
  /** How often the task went back into the queue because the gateway accepted no jobs when it was sent. */
  returns: z.number().optional(),
  progress: z.number().optional(),
  queuedBehind: z.number().optional(),
  finalPrompt: z.string().optional(),
  word: z.string().optional(),
  polls: z.number(),
  actions: z.array(action),
  media: z.array(keptMedium),
  fingerprints: z.array(fingerprint).optional(),
  tracks: z.array(keptTrack).optional(),
  preview: keptMedium.optional(),
  text: z.string().optional(),
  page: z.number().optional(),
  seed: z.string().optional(),
  answer: answer.optional(),
  talk: talk.optional(),
  failure: failure.optional(),
  review: review.optional(),
  /** Set if a moderator has to decide about the task's results because of its prompt or the images that were provided. */
  holdFor: z.object({ category: z.string().optional() }).optional(),
  /**
   * Notes about its references after a failure. Set once the references have been checked, even if it is empty, so that they are checked
   * only once.
   */
  referenceNotes: z.array(z.string()).optional(),
  wordsRefused: failureReason.optional(),
  /** Set if the task is to be erased. The task is followed to its end without being shown, and then removed. */
  unwanted: z.literal(true).optional(),
  /** The number of consecutive responses in which the gateway did not know this task. */
  unknown: z.object({ answers: z.number(), since: time }).optional(),
  times: z.object({
    created: time,
    /** When the task's wait in the queue ended. */
    turn: time.optional(),
    accepted: time.optional(),
    /** The times that the gateway reports. */
    remoteStarted: time.optional(),
    remoteFinished: time.optional(),
    /** When the job started to run according to the bot's clock, as exactly as the gateway reports it. */
    started: time.optional(),
    /** The times of the last response that said "not yet" and of the first that said "done". */
    lastPending: time.optional(),
    ended: time.optional(),
    overdue: time.optional(),
    /** When a prompt was sent, and when the gateway accepted the prompt. */
    wordsSent: time.optional(),
    wordsTaken: time.optional(),
    /** When the bot noticed that the gateway was still waiting although a prompt had been sent. From then on, only the member can send another one. */
    wordsLost: time.optional(),
    /** When the member last approved or declined a tool call. */
    decided: time.optional(),
    /** The time from which nothing is left to do for the task. */
    settled: time.optional(),
  }),
});

export type TaskFacts = z.output<typeof taskFacts>;

/** A task of one of these kinds. Its traits are determined by its kind and are not stored. */
export type TaskOf<K extends TaskKind> = {
  [One in K]: TaskFacts & { kind: One; request: TaskRequests[One]; traits: Traits };
}[K];

export type Task = TaskOf<TaskKind>;

export function withRequest<K extends TaskKind>(task: TaskOf<K>, changes: CommonRequest): TaskOf<K> {
  return { ...task, request: { ...task.request, ...changes } };
}

export const isOfKind = <K extends TaskKind>(kind: K, task: Task): task is Extract<Task, { kind: K }> =>
  task.kind === kind;

export type TaskFailure = z.output<typeof failure>;
export type StoredMedium = TaskFacts['media'][number];
export type StoredTrack = z.output<typeof keptTrack>;
export type MessagePlace = z.output<typeof message>;
export type MessageAddress = z.output<typeof address>;
export type Intention = z.output<typeof intention>;
export type PendingPing = z.output<typeof pendingPing>;
export type Route = z.output<typeof route>;
export type Review = z.output<typeof review>;

const FOLLOWED_STATES: ReadonlySet<TaskState> = new Set(['accepted', 'queued', 'running', 'needs-input']);
const UNFINISHED_STATES: ReadonlySet<TaskState> = new Set(['waiting', 'submitting', ...FOLLOWED_STATES]);

/** Whether the task is missing from the lists of other members. */
export const isClosed = ({ route, request }: Task): boolean =>
  route.isPrivate || route.isInPrivateThread === true || request.isClosed === true;

/** Whether the gateway has the job, so that it is polled. */
export const isFollowed = ({ state }: Task): boolean => FOLLOWED_STATES.has(state);

/** Whether it is unknown if the gateway accepted the order, so that the member can send the order again. */
export const mayBeSentAgain = ({ state, handedOver }: Task): boolean =>
  state === 'submitting' || (state === 'unconfirmed' && handedOver === undefined);

/** Whether responses from the gateway can no longer change the task. */
export const hasEnded = ({ state }: Task): boolean => !UNFINISHED_STATES.has(state);

export const isHeld = ({ review: known }: Task): boolean => known?.outcome === 'held';

/** Whether not even the addresses of its results may be shown, because they have not been judged or posted yet, or were withheld. */
export const areResultsHidden = (task: Task): boolean =>
  isHeld(task) || task.review?.outcome === 'deleted' || (isLive(task) && task.state !== 'delivered');

/** Whether its end can be shown to its owner and to others. */
export const isShowable = (task: Task): boolean => hasEnded(task) && !isHeld(task);

/** Whether something is left to do for the task, such as polling it or showing its end. */
export const isLive = ({ times }: Task): boolean => times.settled === undefined;
