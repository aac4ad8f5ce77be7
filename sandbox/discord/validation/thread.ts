import { requestOptions, threadSchemas as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import type { Violation } from './violation.ts';

export const validateThread =
  (endpoint: keyof typeof schema) =>
  (body: unknown): Violation[] =>
    validateShape(schema[endpoint], body, '', requestOptions);
