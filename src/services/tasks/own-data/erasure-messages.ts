import { z } from 'zod';
import { erasureOutcome } from '../task-store.ts';

const about = { from: z.number(), memberId: z.string(), until: z.number() };

/** `erase`: the other partition asks for an erasure; `erased`: it tells how far the one that we asked for is. */
export const erasureMessage = z.discriminatedUnion('do', [
  z.object({ ...about, do: z.literal('erase') }),
  z.object({ ...about, do: z.literal('erased'), isDone: z.boolean(), outcome: erasureOutcome }),
]);

/** What partitions tell each other to erase a member everywhere. It may arrive more than once. */
export type ErasureMessage = z.output<typeof erasureMessage>;
export type ErasureReport = Extract<ErasureMessage, { do: 'erased' }>;
