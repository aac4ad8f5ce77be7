import { z } from 'zod';

/** An exact decimal, in US dollars. */
export const amount = z.string().regex(/^-?\d+(\.\d+)?$/);

/** Where a price comes from: the operator's file, the gateway's own list, or the cost of finished tasks. */
const priceSources = ['operator', 'gateway', 'learned'] as const;

/** The probable cost of a request at the time when it was made. */
export const estimate = z.object({
  amount,
  source: z.enum(priceSources),
  at: z.number(),
  /** Set if the cost varies and is rarely more than this. */
  isUpperBound: z.literal(true).optional(),
  /** Set if the length or mode of the request may cost more. */
  isLowerBound: z.literal(true).optional(),
});

export type Estimate = z.output<typeof estimate>;
