import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** Parses the body of a control request, or throws an error that lists all problems. */
export function parseAction<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  const outcome = schema.safeParse(request.body ?? {});
  if (outcome.success) return outcome.data;
  throw Object.assign(new Error(z.prettifyError(outcome.error)), { statusCode: 400 });
}
