import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** An order as it was meant, or a sentence about each thing that is wrong with it. */
export function parseAction<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  const outcome = schema.safeParse(request.body ?? {});
  if (outcome.success) return outcome.data;
  throw Object.assign(new Error(z.prettifyError(outcome.error)), { statusCode: 400 });
}
