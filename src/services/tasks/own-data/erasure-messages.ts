import { z } from 'zod';
import { erasureOutcome } from '../task-store.ts';

const commonFields = { from: z.number(), memberId: z.string(), until: z.number() };

/** `erase`: the other partition requests an erasure. `erased`: it reports the progress of an erasure that this partition requested. */
export const erasureMessage = z.discriminatedUnion('do', [
  z.object({ ...commonFields, do: z.literal('erase') }),
  z.object({ ...commonFields, do: z.literal('erased'), isDone: z.boolean(), outcome: erasureOutcome }),
]);

/** A message between partitions, by which a member is erased everywhere. It may arrive more than once. */
export type ErasureMessage = z.output<typeof erasureMessage>;
export type ErasureReport = Extract<ErasureMessage, { do: 'erased' }>;
