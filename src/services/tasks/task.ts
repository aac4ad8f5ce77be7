import { z } from 'zod';
import { fingerprint } from '../fingerprints/fingerprint.ts';
import type { ModelKind } from '../models/families.ts';
import { amount, estimate } from '../prices/estimate.ts';
import { answer } from './answer.ts';
import { memberFile, reference, region } from './materials.ts';

/** Raised with every change that an older bot could not read; `store/task-rows.ts` has the migrations. */
export const TASK_VERSION = 4;

/** waiting (for its turn) → submitting → accepted → queued | running | needs-input → ready → delivered; or another end. unconfirmed: unknown whether the gateway took it. */
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

const commonRequest = z.object({
  prompt: z.string().optional(),
  /** As the member wrote it, without what options added. */
  typed: z.string().optional(),
  /** Names a task without a prompt. */
  title: z.string().optional(),
  words: z.string().optional(),
  region: region.optional(),
  model: z.string().optional(),
  instructions: z.string().optional(),
  effort: z.string().optional(),
  format: z.string().optional(),
  /** The JSON Schema that an answer has to fit, as JSON. */
  schema: z.string().optional(),
  style: z.string().optional(),
  /** Its results are hidden as spoilers. */
  spoiler: z.boolean().optional(),
  /** Visible only to the members of its private thread, and in no one else's lists. */
  isClosed: z.boolean().optional(),
  pictures: z.array(memberFile).optional(),
  documents: z.array(memberFile).optional(),
  references: z.array(reference).optional(),
  sound: memberFile.optional(),
});
export type CommonRequest = z.output<typeof commonRequest>;

export const defineRequest = <S extends z.ZodRawShape>(own: S) => commonRequest.extend(own);

/** The request type of each kind. A kind's module adds its member by declaration merging, and a `KindSpec` that parses stored requests. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared with their kinds.
export interface TaskRequests {}

export type TaskKind = keyof TaskRequests;

const time = z.number();

/** A stored result: its URL and facts, never its bytes. */
const keptMedium = z.object({
  kind: z.enum(['image', 'video', 'audio']),
  /** The gateway's final URL. Without one the result was inside the response, and is fetched again when needed. */
  address: z.string().optional(),
  mediaType: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  seconds: z.number().optional(),
  thumbnail: z.string().optional(),
  firstSeenAt: time,
  expiresAt: time.optional(),
});

/** Longer ones are truncated: lyrics are only shown, not sent again. */
export const LONGEST_LYRICS = 10_000;

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

/** A live conversation. Its utterances are tasks, listed here in order. */
const talk = z.object({
  turns: z.array(z.string()),
  heardAt: z.number(),
  end: z.enum(talkEnds).optional(),
});

export type Talk = z.output<typeof talk>;

const action = z.object({
  customId: z.string(),
  label: z.string(),
  emoji: z.string(),
  style: z.number().optional(),
});

const refusalVariables = z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]));

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
  /** The gateway's text, safe to show. */
  reason: z.string().optional(),
  code: z.string().optional(),
  /** The bot's own refusal when its turn came: the key of the text and its variables. */
  refusal: z.object({ key: z.string(), variables: refusalVariables }).optional(),
});

const message = z.object({ channelId: z.string(), id: z.string() });

/** Enough to link to it. Without a server it is in direct messages. */
const address = message.extend({ guildId: z.string().optional() });

/** How the interaction lets the bot reach the member. */
const route = z.object({
  applicationId: z.string(),
  /** Lets anyone reply as the bot while it is valid, so it is deleted as soon as possible. */
  token: z.string().optional(),
  tokenExpiresAt: time,
  /** The message that shows the task, if that is not the interaction's original reply. */
  followUpId: z.string().optional(),
  /** Only the member can see the result: it must never be posted where others can read it. */
  isPrivate: z.boolean(),
  install: z.enum(['guild', 'user']),
  /** Whether the bot can post messages and files in the channel. */
  mayPost: z.boolean(),
  /** Whether it can send voice messages there; undefined: unknown. */
  maySpeak: z.boolean().optional(),
  uploadLimit: z.number(),
  locale: z.string(),
});

/** A message that is about to be posted; after a crash it says where to look for it. */
const intention = z.object({
  by: z.enum(['channel', 'direct']),
  channelId: z.string(),
  nonce: z.string(),
  at: time,
});

/** The end is shown, and its owner is still to be pinged. */
const call = z.object({
  shownAt: time,
  /** When it was first about to be posted: from then on only Discord's nonce prevents a second one. */
  goingAt: time.optional(),
});

const delivery = z.object({
  progressEdits: z.number(),
  intention: intention.optional(),
  /** When its end was first about to go, by an interaction's token, into a message that the bot cannot read without that token. */
  unseenSince: time.optional(),
  call: call.optional(),
  /** Why no message shows the end: it was deleted, or the member could not be reached. */
  undeliverable: z.enum(['deleted', 'no-way']).optional(),
});

/** What a server's moderation did with its results, once they were there. */
const review = z.object({
  /** held: nothing is shown until a moderator decides; deleted: by a moderator, or refused immediately. */
  outcome: z.enum(['passed', 'held', 'shown', 'deleted']),
  /** The category that the moderation service flagged; undefined if the service was unavailable. */
  category: z.string().optional(),
  at: time,
  /** Where moderators are asked, and the message there once it is posted. */
  channelId: z.string().optional(),
  messageId: z.string().optional(),
});

/** It was live when its store was restored from a backup, so more may have happened to it than is stored. */
const restored = z.object({
  at: time,
  /** It had not been sent: its idempotency key says nothing about what was sent later. */
  wasWaiting: z.literal(true).optional(),
});

export const taskFacts = z.object({
  version: z.literal(TASK_VERSION),
  id: z.string(),
  state: z.enum(taskStates),
  idempotencyKey: z.string(),
  remoteId: z.string().optional(),
  /** The gateway was given a URL to call back. */
  hasCallback: z.literal(true).optional(),
  requesterId: z.string(),
  guildId: z.string().optional(),
  channelId: z.string().optional(),
  /** The channel of the thread where it was ordered. */
  parentChannelId: z.string().optional(),
  /** Ordered in an age-restricted channel. */
  isAgeRestricted: z.literal(true).optional(),
  /** Its owner's roles when it was requested. Kept until the gateway has it, because rules for roles also apply when its turn comes. */
  roleIds: z.array(z.string()).optional(),
  message: message.optional(),
  /** Other messages of the bot about it, oldest first: the owner ping, and results posted for others. */
  beside: z.array(address).optional(),
  route,
  delivery,
  parentId: z.string().optional(),
  rootId: z.string().optional(),
  /** The task that replaced it when its member tried again. */
  successorId: z.string().optional(),
  /** When its unknown outcome stopped counting, because its owner has not decided for so long. */
  releasedAt: time.optional(),
  /** Its successor is another order, which the gateway may also carry out, so both count. */
  isRepeated: z.literal(true).optional(),
  /** The task that it replaced, with the same order under the same key. */
  predecessorId: z.string().optional(),
  restored: restored.optional(),
  /** Its successor is the same order, which the gateway carries out only once, so only the successor is shown and counted. */
  handedOver: z.literal(true).optional(),
  model: z.string().optional(),
  /** Its estimated cost when it was requested. */
  estimate: estimate.optional(),
  /** Its cost as the gateway reported it. */
  cost: amount.optional(),
  /** Jobs with the same key take about as long. */
  durationKey: z.string(),
  /** How many turns in a row its owner has, if more than one. */
  weight: z.number().optional(),
  /** Its position in the queue while it waits for its turn. */
  place: z.number().optional(),
  /** How often it went back into the queue because the gateway accepted no jobs when it was sent. */
  returns: z.number().optional(),
  progress: z.number().optional(),
  queuedBehind: z.number().optional(),
  finalPrompt: z.string().optional(),
  word: z.string().optional(),
  polls: z.number(),
  actions: z.array(action),
  media: z.array(keptMedium),
  /** Of the files that were delivered. */
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
  /** A moderator decides about its results, because of its prompt or the images given for it. */
  holdFor: z.object({ category: z.string().optional() }).optional(),
  /** Notes about its references after a failure. Set, even if empty, once they are checked: that happens once. */
  referenceNotes: z.array(z.string()).optional(),
  wordsRefused: z.string().optional(),
  /** It is to be erased: it is followed to its end, not shown, and then removed. */
  unwanted: z.literal(true).optional(),
  /** Consecutive responses that said the gateway does not know this task. */
  unknown: z.object({ answers: z.number(), since: time }).optional(),
  times: z.object({
    created: time,
    /** When its wait in the queue ended. */
    turn: time.optional(),
    accepted: time.optional(),
    /** As the gateway reports them. */
    remoteStarted: time.optional(),
    remoteFinished: time.optional(),
    /** When its run began by our clock, as exactly as the gateway reports it. */
    started: time.optional(),
    /** The last response that said "not yet", and the first that said "done". */
    lastPending: time.optional(),
    ended: time.optional(),
    overdue: time.optional(),
    /** When a prompt for it was sent, and when the gateway accepted it. */
    wordsSent: time.optional(),
    wordsTaken: time.optional(),
    /** When the gateway was found to be still waiting although a prompt had been sent. From then on only the member sends one. */
    wordsLost: time.optional(),
    /** The time since which nothing is left to do for it. */
    settled: time.optional(),
  }),
});

export type TaskFacts = z.output<typeof taskFacts>;

export interface Traits<K extends TaskKind = TaskKind> {
  /** Requested through the bot, and therefore in the ledger. */
  readonly isPaid?: boolean;
  /** Shown by albums; it has no message of its own. */
  readonly isPart?: boolean;
  /** It shows other tasks, and is not polled itself. */
  readonly isAlbum?: boolean;
  /** Another task represents it in lists. */
  readonly isListedByParent?: boolean;
  /** A text of a model, shown as it arrives. */
  readonly isText?: boolean;
  /** It makes images or videos, which moderators can be shown before anyone else sees them. */
  readonly isVisual?: boolean;
  /** An utterance in a live conversation, and its answer. */
  readonly isUtterance?: boolean;
  /** A live conversation: no wait limit applies, since the member decides how long it lasts. */
  readonly isTalk?: boolean;
  /** Its prompt is the member's own text, so it can be ordered again with another one. */
  readonly hasOwnPrompt?: boolean;
  /** It keeps its title when it is ordered with another prompt. */
  readonly keepsTitle?: boolean;
  /** The kind of model that makes it, if its request names a model. */
  readonly modelKind?: ModelKind;
  /** Its remote id can be followed. */
  readonly isFollowable?: boolean;
  /** Whether its result is a grid of four images, of which one can be chosen. */
  isGrid?(request: TaskRequests[K]): boolean;
  hearsEveryone?(request: TaskRequests[K]): boolean;
}

export interface KindSpec<K extends TaskKind = TaskKind> {
  /** Parses a stored request. Unknown fields are kept: another version may have written them. */
  readonly request: z.ZodType<TaskRequests[K]>;
  readonly traits: Traits<K>;
}

export type KindSpecs = { readonly [K in TaskKind]: KindSpec<K> };

export const isKind = (name: unknown, specs: KindSpecs): name is TaskKind =>
  typeof name === 'string' && Object.hasOwn(specs, name);

/** In the order of their features. */
export const kindNames = (specs: KindSpecs): TaskKind[] =>
  Object.keys(specs).filter((name): name is TaskKind => isKind(name, specs));

/** A task of one of these kinds. Its traits come from its kind, and are not stored. */
export type TaskOf<K extends TaskKind> = {
  [One in K]: TaskFacts & { kind: One; request: TaskRequests[One]; traits: Traits };
}[K];

export type Task = TaskOf<TaskKind>;

export function withRequest<K extends TaskKind>(task: TaskOf<K>, changes: CommonRequest): TaskOf<K> {
  return { ...task, request: { ...task.request, ...changes } };
}

export const isOfKind = <K extends TaskKind>(kind: K, task: Task): task is Extract<Task, { kind: K }> =>
  task.kind === kind;

export type Failure = z.output<typeof failure>;
export type StoredMedium = TaskFacts['media'][number];
export type StoredTrack = z.output<typeof keptTrack>;
export type MessagePlace = z.output<typeof message>;
export type MessageAddress = z.output<typeof address>;
export type Intention = z.output<typeof intention>;
export type PendingPing = z.output<typeof call>;
export type Route = z.output<typeof route>;
export type Review = z.output<typeof review>;

const FOLLOWED: ReadonlySet<TaskState> = new Set(['accepted', 'queued', 'running', 'needs-input']);
const BEFORE_END: ReadonlySet<TaskState> = new Set(['waiting', 'submitting', ...FOLLOWED]);

/** Other members find it in no list. */
export const isClosed = ({ route, request }: Pick<Task, 'route' | 'request'>): boolean =>
  route.isPrivate || request.isClosed === true;

/** The gateway has the job, so it is polled. */
export const isFollowed = ({ state }: Pick<Task, 'state'>): boolean => FOLLOWED.has(state);

/** It is unknown whether the gateway took the order, and its member can send it again. */
export const mayBeSentAgain = ({ state, handedOver }: Pick<Task, 'state' | 'handedOver'>): boolean =>
  state === 'submitting' || (state === 'unconfirmed' && handedOver === undefined);

/** No response of the gateway changes it any more. */
export const hasEnded = ({ state }: Task): boolean => !BEFORE_END.has(state);

/** Its results wait for a moderator's decision. */
export const isHeld = ({ review: known }: Pick<Task, 'review'>): boolean => known?.outcome === 'held';

/** Its end is shown to its owner and to others. */
export const isShowable = (task: Task): boolean => hasEnded(task) && !isHeld(task);

/** Something is left to do: polling it or showing its end. */
export const isLive = ({ times }: Task): boolean => times.settled === undefined;
