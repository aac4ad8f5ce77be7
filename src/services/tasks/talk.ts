import { z } from 'zod';

/** Why a live conversation is over: its member ended it, nobody spoke for long, or it could not go on. */
const talkEnds = ['ended', 'idle', 'lost'] as const;
export type TalkEnd = (typeof talkEnds)[number];

/** A live conversation. What was said in it are tasks of their own, and here in their order. */
export const talk = z.object({
  turns: z.array(z.string()),
  /** When somebody last spoke in it. */
  heardAt: z.number(),
  end: z.enum(talkEnds).optional(),
});

export type Talk = z.output<typeof talk>;
