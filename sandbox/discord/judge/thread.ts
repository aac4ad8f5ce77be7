import { request, thread as schema } from './schemas.ts';
import { judgeShape } from './shape.ts';
import type { Violation } from './violation.ts';

export const judgeThread =
  (place: keyof typeof schema) =>
  (body: unknown): Violation[] =>
    judgeShape(schema[place], body, '', request);
