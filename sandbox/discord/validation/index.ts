export { type BodyKind, validateBody } from './body.ts';
export type { BodyFacts } from './facts.ts';
export { formError } from './form-error.ts';
export { validateResponse } from './response.ts';
export type { Violation } from './violation.ts';
