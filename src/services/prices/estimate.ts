import { z } from 'zod';

/** An exact decimal, in the account's unit. */
export const amount = z.string().regex(/^-?\d+(\.\d+)?$/);

/** What an order will probably cost, as it was known when it was ordered. */
export const estimate = z.object({
  amount,
  source: z.enum(['operator']),
});

export type Estimate = z.output<typeof estimate>;
