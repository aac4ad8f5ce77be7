export { validateAnswer } from './answer.ts';
export { type BodyKind, validateBody } from './body.ts';
export type { BodyFacts } from './facts.ts';
export { formError } from './form-error.ts';
export type { Violation } from './violation.ts';
