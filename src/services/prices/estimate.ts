import { z } from 'zod';

/** An exact decimal, in US dollars. */
export const amount = z.string().regex(/^-?\d+(\.\d+)?$/);

/** The operator's file, the gateway's own list, or what finished tasks have cost. */
const priceSources = ['operator', 'gateway', 'learned'] as const;

/** The probable cost of a request, as known when it was made. */
export const estimate = z.object({
  amount,
  source: z.enum(priceSources),
  /** When the price was read or learned. */
  at: z.number(),
  /** The cost varies, and is rarely more than this. */
  isUpperBound: z.literal(true).optional(),
});

export type Estimate = z.output<typeof estimate>;
