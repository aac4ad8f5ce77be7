import { z } from 'zod';
import { givenPicture } from '../tasks/materials.ts';

/** Whose words a live conversation hears. */
export const audiences = ['me', 'everyone'] as const;

/** A live conversation, as a member wants it. */
export const talkRequest = z.object({
  model: z.string(),
  voice: z.string().optional(),
  instructions: z.string().optional(),
  who: z.enum(audiences),
  /** Where it takes place only those see it who were let in: it is in no list that others look at. */
  isClosed: z.boolean().optional(),
});

/** Something said in one: words, a sound, or both. */
export const saidRequest = z.object({
  /** The task of the conversation. */
  talk: z.string(),
  model: z.string(),
  prompt: z.string().optional(),
  sound: givenPicture.optional(),
  /** As that of the conversation. */
  isClosed: z.boolean().optional(),
});

export type TalkRequest = z.output<typeof talkRequest>;
export type SaidRequest = z.output<typeof saidRequest>;
