import { z } from 'zod';
import { answer } from './answer.ts';
import { givenPicture, reference, region } from './materials.ts';

/** Raised with every change that an older bot could not read; `store/task-rows.ts` knows the way up. */
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

/** What requests of several kinds hold under the same names. */
const commonRequest = z.object({
  /** What it is about. */
  prompt: z.string().optional(),
  /** As its member wrote it, without what options added to it. */
  typed: z.string().optional(),
  /** What it is called where it was made without words. */
  title: z.string().optional(),
  /** Words that the gateway asks for. */
  words: z.string().optional(),
  region: region.optional(),
  model: z.string().optional(),
  instructions: z.string().optional(),
  effort: z.string().optional(),
  format: z.string().optional(),
  style: z.string().optional(),
  /** Its results are covered until somebody wants to see them. */
  spoiler: z.boolean().optional(),
  /** Only those see it who were let in: it is in no list that others look at. */
  isClosed: z.boolean().optional(),
  pictures: z.array(givenPicture).optional(),
  documents: z.array(givenPicture).optional(),
  references: z.array(reference).optional(),
  sound: givenPicture.optional(),
});
export type CommonRequest = z.output<typeof commonRequest>;

/** The request of one kind: what all may hold, and what this one does. */
export const requestShape = <S extends z.ZodRawShape>(own: S) => commonRequest.extend(own);

/**
 * What a task of each kind asks for. Whoever owns a kind adds it here by declaration merging, and says in its `KindSpec` how a stored request is
 * read.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members stand with their kinds.
export interface TaskRequests {}

export type TaskKind = keyof TaskRequests;

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

/** Everything but its kind, and what it asks for. */
export const taskFacts = z.object({
  version: z.literal(TASK_VERSION),
  id: z.string(),
  state: z.enum(taskStates),
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

export type TaskFacts = z.output<typeof taskFacts>;

/** What sets tasks of one kind apart from others. */
export interface Traits<K extends TaskKind = TaskKind> {
  /** Ordered through the bot, and so in the ledger. */
  readonly isPaid?: boolean;
  /** It has no message of its own: albums show it. */
  readonly isPart?: boolean;
  /** It brings others together, and is not asked about itself. */
  readonly isAlbum?: boolean;
  /** Another task brings it together with others, and stands in lists for all of them. */
  readonly isListedApart?: boolean;
  /** Words of a model, shown while they come. */
  readonly isInWords?: boolean;
  /** An answer that is heard in a live conversation. */
  readonly isSpoken?: boolean;
  /** A live conversation: it lasts as long as its member likes, so that nobody waits for its end. */
  readonly isConversation?: boolean;
  /** Its prompt is its member's own words, so that it can be ordered with others. */
  readonly hasOwnWords?: boolean;
  /** It keeps its name when it is ordered with other words. */
  readonly keepsTitle?: boolean;
  /** The gateway knows it by an id by which it may be followed. */
  readonly isFollowable?: boolean;
  /** Whether its result is a grid of four, of which one can be asked for. */
  isGrid?(request: TaskRequests[K]): boolean;
  /** Whether everybody is heard in it, where it is a conversation. */
  isForEveryone?(request: TaskRequests[K]): boolean;
}

/** What is known of a kind wherever its tasks are. */
export interface KindSpec<K extends TaskKind = TaskKind> {
  /** How a request is read. What of it nobody here knows is kept: another version may have written it. */
  readonly request: z.ZodType<TaskRequests[K]>;
  readonly traits: Traits<K>;
}

export type KindSpecs = { readonly [K in TaskKind]: KindSpec<K> };

export const isKind = (name: unknown, specs: KindSpecs): name is TaskKind =>
  typeof name === 'string' && Object.hasOwn(specs, name);

/** In the order of their features. */
export const kindNames = (specs: KindSpecs): TaskKind[] =>
  Object.keys(specs).filter((name): name is TaskKind => isKind(name, specs));

/** A task of one of these kinds. Its traits are those of its kind, and not stored. */
export type TaskOf<K extends TaskKind> = {
  [One in K]: TaskFacts & { kind: One; request: TaskRequests[One]; traits: Traits };
}[K];

export type Task = TaskOf<TaskKind>;

/** The same task, which asks for something else in this. */
export function withRequest<K extends TaskKind>(task: TaskOf<K>, changes: CommonRequest): TaskOf<K> {
  return { ...task, request: { ...task.request, ...changes } };
}

/** For a kind that the caller knows. */
export const isOf = <K extends TaskKind>(kind: K, task: Task): task is Extract<Task, { kind: K }> => task.kind === kind;

export type KeptMedium = TaskFacts['media'][number];
export type KeptTrack = z.output<typeof keptTrack>;
export type MessagePlace = z.output<typeof message>;
export type MessageAddress = z.output<typeof address>;
export type Intention = z.output<typeof intention>;
export type Call = z.output<typeof call>;
export type Route = z.output<typeof route>;

const FOLLOWED: ReadonlySet<TaskState> = new Set(['accepted', 'queued', 'running', 'needs-input']);
const BEFORE_END: ReadonlySet<TaskState> = new Set(['submitting', ...FOLLOWED]);

/** Only those see it who were let in, so others come across it in no list. */
export const isClosed = ({ route, request }: Pick<Task, 'route' | 'request'>): boolean =>
  route.isPrivate || request.isClosed === true;

/** The gateway is at work on it, so it is asked about. */
export const isFollowed = ({ state }: Pick<Task, 'state'>): boolean => FOLLOWED.has(state);

/** Nobody knows whether the gateway took the order, and its member may send it again. */
export const mayBeSentAgain = ({ state, handedOver }: Pick<Task, 'state' | 'handedOver'>): boolean =>
  state === 'submitting' || (state === 'unconfirmed' && handedOver === undefined);

/** No answer of the gateway changes it any more. */
export const hasEnded = ({ state }: Task): boolean => !BEFORE_END.has(state);

/** Something is left to do: ask about it, or show its end. */
export const isLive = ({ times }: Task): boolean => times.settled === undefined;
