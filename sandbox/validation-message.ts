import type { z } from 'zod';

/** The first thing that is wrong with an order, as one sentence. */
export function validationMessage({ issues }: z.ZodError): string {
  const [issue] = issues;
  const field = issue?.path.join('.') || 'The order';
  return `${field}: ${issue?.message ?? 'is not understood'}.`;
}
