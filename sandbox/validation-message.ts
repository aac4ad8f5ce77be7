import type { z } from 'zod';

/** Describes the first problem with an action. */
export function validationMessage({ issues }: z.ZodError): string {
  const [issue] = issues;
  const field = issue?.path.join('.') || 'The action';
  return `${field}: ${issue?.message ?? 'is not valid'}.`;
}
