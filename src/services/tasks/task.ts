import { z } from 'zod';
import { answer } from './answer.ts';

/** Raised with every change that an older bot could not read; `store/task-record.ts` knows the way up. */
export const TASK_VERSION = 3;

/**
 * submitting → accepted → queued | running | needs-input → ready → delivered
 * with failed, cancelled and expired as the gateway's other ends, and unconfirmed where nobody knows whether it took the order.
 */
export const taskStates = [
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

export const taskKinds = [
  'imagine',
  'action',
  'change',
  'animate',
  'describe',
  'shorten',
  'blend',
  'image',
  'video',
  'second-video',
  'image-to-video',
  'song',
  'music',
  'album',
  'ask',
  'talk',
  'said',
] as const;
export type TaskKind = (typeof taskKinds)[number];

const time = z.number();

/** A result as it is kept: its place and what is known of it, never its bytes. */
const keptMedium = z.object({
  kind: z.enum(['image', 'video', 'audio']),
  /** The gateway's own final address. Without one the result came inside the answer, and is asked for again when needed. */
  address: z.string().optional(),
  mediaType: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  seconds: z.number().optional(),
  thumbnail: z.string().optional(),
  firstSeenAt: time,
  expiresAt: time.optional(),
});

/** Longer ones are cut: what a song is made of is shown, and not sent again. */
export const LONGEST_LYRICS = 10_000;

/** A track of a song. Only one that is finished has a sound that can be fetched. */
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

/** Why a live conversation is over: its member ended it, nobody spoke for long, or it could not go on. */
const talkEnds = ['ended', 'idle', 'lost'] as const;
export type TalkEnd = (typeof talkEnds)[number];

/** A live conversation. What was said in it are tasks of their own, and here in their order. */
const talk = z.object({
  turns: z.array(z.string()),
  /** When somebody last spoke in it. */
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

const failure = z.object({
  cause: z.enum([
    'failed',
    'cancelled',
    'expired',
    'forgotten',
    'unconfirmed',
    'dismissed',
    'cut',
    'interrupted',
    'stopped',
  ]),
  /** The gateway's words, fit to be shown. */
  reason: z.string().optional(),
  code: z.string().optional(),
});

const message = z.object({ channelId: z.string(), id: z.string() });

/** Wherever it stands, it can be found: without a server it is a direct message. */
const address = message.extend({ guildId: z.string().optional() });

/** What the interaction told of the ways back to the member. */
const route = z.object({
  applicationId: z.string(),
  /** Lets anybody answer in the bot's name while it lasts, so it goes as soon as it is of no more use. */
  token: z.string().optional(),
  tokenExpiresAt: time,
  /** The one of the interaction's messages that shows the task, where that is not its answer. */
  followUpId: z.string().optional(),
  /** Only the member may see the result: no way that others can read is ever taken. */
  isPrivate: z.boolean(),
  install: z.enum(['guild', 'user']),
  /** Whether the bot itself may write into the channel and attach files there. */
  mayPost: z.boolean(),
  /** Whether it may send voice messages there; undefined: nobody has looked. */
  maySpeak: z.boolean().optional(),
  uploadLimit: z.number(),
  locale: z.string(),
});

/** A message that is about to be posted; found after a crash, it says where to look for what may already be there. */
const intention = z.object({
  by: z.enum(['channel', 'direct']),
  channelId: z.string(),
  nonce: z.string(),
  at: time,
});

/** The end is shown, and its member is still to be called to it. */
const call = z.object({
  shownAt: time,
  /** When it was first about to be posted: from then on only Discord can keep it from coming twice. */
  goingAt: time.optional(),
});

const delivery = z.object({
  progressEdits: z.number(),
  intention: intention.optional(),
  call: call.optional(),
  /** Why no message shows the end: somebody deleted it, or no way led to the member. */
  undeliverable: z.enum(['deleted', 'no-way']).optional(),
});

export const taskSchema = z.object({
  version: z.literal(TASK_VERSION),
  id: z.string(),
  kind: z.enum(taskKinds),
  state: z.enum(taskStates),
  /** As asked; its kind knows the shape. */
  request: z.record(z.string(), z.unknown()),
  idempotencyKey: z.string(),
  remoteId: z.string().optional(),
  requesterId: z.string(),
  guildId: z.string().optional(),
  channelId: z.string().optional(),
  message: message.optional(),
  /** What else the bot has posted about it, oldest first: the call to its member, and results that were brought to others. */
  beside: z.array(address).optional(),
  route,
  delivery,
  parentId: z.string().optional(),
  rootId: z.string().optional(),
  /** The task that took this one's place when its member tried again. */
  successorId: z.string().optional(),
  /** And the one whose place this one took, where it is the very same order under the same key. */
  predecessorId: z.string().optional(),
  /** Its successor is the very same order, which the gateway carries out once: what becomes of it is told and counted there. */
  handedOver: z.literal(true).optional(),
  model: z.string().optional(),
  /** Jobs of the same key take about as long. */
  durationKey: z.string(),
  progress: z.number().optional(),
  queuedBehind: z.number().optional(),
  /** What the form for its words should start with. */
  finalPrompt: z.string().optional(),
  /** The gateway's own status word. */
  word: z.string().optional(),
  polls: z.number(),
  actions: z.array(action),
  media: z.array(keptMedium),
  tracks: z.array(keptTrack).optional(),
  preview: keptMedium.optional(),
  text: z.string().optional(),
  /** Which of its pages its message shows, where it has several. */
  page: z.number().optional(),
  seed: z.string().optional(),
  /** How an answer in words came about, and where it stands. */
  answer: answer.optional(),
  /** What is known of a live conversation. */
  talk: talk.optional(),
  failure: failure.optional(),
  /** What is told of its references where it failed. There, though empty, as soon as they are looked at: that happens once. */
  referenceNotes: z.array(z.string()).optional(),
  /** Why the gateway did not take its words. */
  wordsRefused: z.string().optional(),
  /** Its member wants it forgotten: it is followed to its end, shown nowhere, and goes then. */
  unwanted: z.literal(true).optional(),
  /** Answers in a row that said the gateway does not know this task. */
  unknown: z.object({ answers: z.number(), since: time }).optional(),
  times: z.object({
    created: time,
    accepted: time.optional(),
    /** As the gateway tells them. */
    remoteStarted: time.optional(),
    remoteFinished: time.optional(),
    /** When its run began, by our own clock, as near as the gateway tells. */
    started: time.optional(),
    /** The last answer that said "not yet", and the first that said "done". */
    lastPending: time.optional(),
    ended: time.optional(),
    overdue: time.optional(),
    /** Since when words for it are on their way to the gateway, and since when it has them. */
    wordsSent: time.optional(),
    wordsTaken: time.optional(),
    /** When the gateway was seen to wait although words had been sent: from then on only its member sends any. */
    wordsLost: time.optional(),
    /** Since when nothing is left to do for it. */
    settled: time.optional(),
  }),
});

export type Task = z.output<typeof taskSchema>;
export type KeptMedium = Task['media'][number];
export type KeptTrack = z.output<typeof keptTrack>;
export type MessagePlace = z.output<typeof message>;
export type MessageAddress = z.output<typeof address>;
export type Intention = z.output<typeof intention>;
export type Call = z.output<typeof call>;
export type Route = z.output<typeof route>;

const FOLLOWED: ReadonlySet<TaskState> = new Set(['accepted', 'queued', 'running', 'needs-input']);
const BEFORE_END: ReadonlySet<TaskState> = new Set(['submitting', ...FOLLOWED]);

/** Without a cost of their own: what is only followed, and what brings others together. */
const UNPAID: ReadonlySet<TaskKind> = new Set(['music', 'album', 'talk']);

/** Ordered through the bot, and so in the ledger. */
export const isOrdered = ({ kind }: Pick<Task, 'kind'>): boolean => !UNPAID.has(kind);

/** It has no message of its own: albums show it. */
export const isPart = ({ kind }: Pick<Task, 'kind'>): boolean => kind === 'music';

/** Words of a model, shown while they come. */
export const isInWords = ({ kind }: Pick<Task, 'kind'>): boolean => kind === 'ask' || kind === 'said';

/** Only those see it who were let in, so others come across it in no list. */
export const isClosed = ({ route, request }: Pick<Task, 'route' | 'request'>): boolean =>
  route.isPrivate || request.isClosed === true;

/** Another task brings it together with others, and stands in lists for all of them. */
export const isListedApart = ({ kind }: Pick<Task, 'kind'>): boolean => kind === 'music' || kind === 'said';

/** It lasts as long as its member likes, so that nobody waits for its end. */
export const isOpenEnded = ({ kind }: Pick<Task, 'kind'>): boolean => kind === 'talk';

/** The gateway is at work on it, so it is asked about. */
export const isFollowed = ({ state }: Pick<Task, 'state'>): boolean => FOLLOWED.has(state);

/** Nobody knows whether the gateway took the order, and its member may send it again. */
export const mayBeSentAgain = ({ state, handedOver }: Pick<Task, 'state' | 'handedOver'>): boolean =>
  state === 'submitting' || (state === 'unconfirmed' && handedOver === undefined);

/** No answer of the gateway changes it any more. */
export const hasEnded = ({ state }: Task): boolean => !BEFORE_END.has(state);

/** Something is left to do: ask about it, or show its end. */
export const isLive = ({ times }: Task): boolean => times.settled === undefined;
