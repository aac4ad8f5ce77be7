import { z } from 'zod';
import { refusableParts } from '../gateway/text-request.ts';
import { amount, estimate } from './estimate.ts';

const call = z.object({
  callId: z.string(),
  name: z.string(),
  /** JSON as written by the model; it may be invalid. */
  arguments: z.string(),
  /** `waiting`: the member has to approve a paid call. `allowed`: the call was approved and is being submitted. */
  state: z.enum(['waiting', 'allowed', 'done', 'declined']),
  output: z.string().optional(),
  /** The price that the member was shown; undefined if unknown. */
  price: estimate.pick({ amount: true, isUpperBound: true, isLowerBound: true }).optional(),
});

const round = z.object({ text: z.string(), calls: z.array(call) });

export const tokens = z.object({
  input: z.number().optional(),
  cached: z.number().optional(),
  output: z.number().optional(),
  reasoning: z.number().optional(),
  audioInput: z.number().optional(),
  audioOutput: z.number().optional(),
});

const part = z.object({
  channelId: z.string(),
  id: z.string(),
  /** Posted with the bot token, so no interaction token can edit it. */
  by: z.literal('bot').optional(),
});

/** A message that is about to be posted and will replace the last part. */
const posting = z.object({
  by: z.enum(['bot', 'token']),
  channelId: z.string(),
  /** The id of the message that the part replies to, by which the part can be found again. */
  answers: z.string(),
  at: z.number(),
});

const voice = z.object({
  seconds: z.number(),
  /** In Discord's format: one byte per column, encoded in base64. */
  waveform: z.string(),
  sound: z.string().optional(),
  /** The audio was longer than the limit, and the rest was dropped. */
  isCut: z.boolean().optional(),
});

const leftOutReasons = ['too-large', 'too-many', 'gone', 'unusable', 'late', 'refused', 'hidden'] as const;
const leftOutFile = z.object({ name: z.string(), why: z.enum(leftOutReasons) });

const mismatch = z.object({
  /** JSON pointer into the answer. */
  at: z.string(),
  rule: z.enum(['type', 'required', 'enum', 'const', 'anyOf', 'oneOf', 'unexpected', 'other']),
  expected: z.string(),
});

const schemaCheck = z.object({
  /** Only the first mismatches are stored. */
  misfits: z.array(mismatch),
  count: z.number(),
  isUnfinished: z.boolean(),
});

/** An answer of a model. Its text grows in memory and is stored from time to time. */
export const answer = z.object({
  /** The text before each round of tool calls, and the calls. */
  rounds: z.array(round),
  draft: z.string(),
  keptAt: z.number().optional(),
  requests: z.number().optional(),
  doing: z.enum(['thinking', 'searching']).optional(),
  /** Features that the model refused, so the request was repeated without them. */
  without: z.array(z.enum(refusableParts)),
  /** Those of them that the gateway did not name, so another feature may be the reason. */
  guessed: z.array(z.enum(refusableParts)).optional(),
  leftOut: z.array(leftOutFile).optional(),
  /** Only the end of the previous answer was sent, because it is too long. */
  isMemoryCut: z.boolean().optional(),
  /** The gateway's name for the reason why the answer is incomplete. */
  incomplete: z.string().optional(),
  schemaCheck: schemaCheck.optional(),
  tokens: tokens.optional(),
  /** The cost of each response, or null if it is unknown. */
  costs: z.array(amount.nullable()).optional(),
  /** The ids of the gateway's responses whose tokens are already included, so that each is counted once. */
  counted: z.array(z.string()).optional(),
  heard: z.string().optional(),
  voice: voice.optional(),
  /** The further messages that contain the rest of the answer, in order. */
  parts: z.array(part),
  posting: posting.optional(),
  areShown: z.boolean().optional(),
  /** Whether the message with the question was edited after it had been submitted. */
  isQuestionEdited: z.boolean().optional(),
  /** Whether the member has excluded the answer from the context of the conversation. */
  isForgotten: z.boolean().optional(),
});

export type Answer = z.output<typeof answer>;
export type Mismatch = z.output<typeof mismatch>;
export type SchemaCheck = z.output<typeof schemaCheck>;
export type StoredPart = z.output<typeof part>;
export type PendingPost = z.output<typeof posting>;
export type AnswerCall = z.output<typeof call>;
export type LeftOutFile = z.output<typeof leftOutFile>;
export type Voice = z.output<typeof voice>;
export type Tokens = z.output<typeof tokens>;
export type RefusableFeature = (typeof refusableParts)[number];

export const EMPTY_ANSWER: Answer = { rounds: [], draft: '', without: [], parts: [] };
