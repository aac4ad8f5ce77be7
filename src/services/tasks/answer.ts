import { z } from 'zod';

/** What a model may refuse to be asked for. */
const refusable = ['tools', 'reasoning'] as const;

/** A tool that the model wants to be used, and what came of it. */
const call = z.object({
  callId: z.string(),
  name: z.string(),
  /** JSON as the model wrote it, which may not parse. */
  arguments: z.string(),
  /** waiting: for its member, who has to say yes to whatever costs. allowed: they did, and it is being ordered. */
  state: z.enum(['waiting', 'allowed', 'done', 'declined']),
  /** What the model is told of it. */
  output: z.string().optional(),
});

const round = z.object({ text: z.string(), calls: z.array(call) });

/** What the gateway said that an answer took. */
export const tokens = z.object({
  input: z.number().optional(),
  cached: z.number().optional(),
  output: z.number().optional(),
  reasoning: z.number().optional(),
  /** Of those, the ones that were sound. */
  audioInput: z.number().optional(),
  audioOutput: z.number().optional(),
});

const part = z.object({
  channelId: z.string(),
  id: z.string(),
  /** Posted by the bot itself, which no interaction's token reaches. */
  by: z.literal('bot').optional(),
});

/** The next further message is about to be posted. What came of it is known once it is a part, or this is gone. */
const posting = z.object({
  by: z.enum(['bot', 'token']),
  channelId: z.string(),
  /** The message that it answers, by which it is found again. */
  answers: z.string(),
  at: z.number(),
});

/** A spoken answer. Its sound is kept until it stands in Discord, and not longer. */
const voice = z.object({
  seconds: z.number(),
  /** As Discord draws it: a byte a column, in base64. */
  waveform: z.string(),
  /** Ogg Opus, in base64. */
  sound: z.string().optional(),
  /** More was said than is kept. */
  isCut: z.boolean().optional(),
});

/** An answer in words. What has come of it so far grows in memory, and is stored now and then. */
export const answer = z.object({
  /** What was said before each use of tools, and which. */
  rounds: z.array(round),
  draft: z.string(),
  /** When the draft was last to be stored. */
  keptAt: z.number().optional(),
  /** What the model does while no words come. */
  doing: z.enum(['thinking', 'searching']).optional(),
  /** What the model refused, and was then not asked for. */
  without: z.array(z.enum(refusable)),
  /** Why it is not whole, in the gateway's word. */
  incomplete: z.string().optional(),
  tokens: tokens.optional(),
  /** The responses of the gateway that are counted in these, by their ids: whatever is told twice counts once. */
  counted: z.array(z.string()).optional(),
  /** What the gateway understood of the sound that it answers. */
  heard: z.string().optional(),
  voice: voice.optional(),
  /** The further messages in which it goes on, in their order. */
  parts: z.array(part),
  posting: posting.optional(),
  /** Each of them shows what it should, to the last letter. */
  areShown: z.boolean().optional(),
  /** Its member does not want it to be remembered. */
  isForgotten: z.boolean().optional(),
});

export type Answer = z.output<typeof answer>;
export type AnswerPart = z.output<typeof part>;
export type Posting = z.output<typeof posting>;
export type AnswerCall = z.output<typeof call>;
export type Voice = z.output<typeof voice>;
export type Tokens = z.output<typeof tokens>;
export type Refusable = (typeof refusable)[number];

export const NO_ANSWER: Answer = { rounds: [], draft: '', without: [], parts: [] };
