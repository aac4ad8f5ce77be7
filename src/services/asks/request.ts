import { z } from 'zod';
import { givenPicture } from '../tasks/materials.ts';

/** How long a reasoning model may think; the words are the gateway's. */
export const efforts = ['minimal', 'low', 'medium', 'high'] as const;
export const formats = ['text', 'json'] as const;

/** What a member wants to know, as the task keeps it. */
export const askRequest = z.object({
  prompt: z.string(),
  model: z.string(),
  instructions: z.string().optional(),
  effort: z.enum(efforts).optional(),
  format: z.enum(formats).optional(),
  /** The model may look things up on the web. */
  web: z.boolean().optional(),
  pictures: z.array(givenPicture).optional(),
  documents: z.array(givenPicture).optional(),
  /** The answer before it in its conversation. */
  after: z.string().optional(),
});

export type AskRequest = z.output<typeof askRequest>;
