import { request, thread as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import type { Violation } from './violation.ts';

export const validateThread =
  (place: keyof typeof schema) =>
  (body: unknown): Violation[] =>
    validateShape(schema[place], body, '', request);
