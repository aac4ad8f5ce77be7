import type { z } from 'zod';

/** The first thing that is wrong with an order, as one sentence. */
export function complaint({ issues }: z.ZodError): string {
  const [issue] = issues;
  const where = issue?.path.join('.') || 'The order';
  return `${where}: ${issue?.message ?? 'is not understood'}.`;
}
