import { Refusal } from './refusal.ts';
import {
  type BodyFacts,
  type BodyKind,
  formError,
  type Violation,
  validateBody,
  validateResponse,
} from './validation/index.ts';

export interface RecordedViolation extends Violation {
  readonly at: number;
  readonly route: string;
}

const MAX_VIOLATIONS = 1_000;

/** Records the validator's violations; those of a request are also its error response. */
export class Validator {
  readonly violations: RecordedViolation[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  checkBody(route: string, kind: BodyKind, checkBody: unknown, facts?: BodyFacts): void {
    this.reject(route, validateBody(kind, checkBody, facts));
  }

  /** Rejects a request because of violations that depend on state, such as a response that does not fit its interaction. */
  reject(route: string, violations: readonly Violation[]): void {
    if (violations.length === 0) return;
    this.#record(route, violations);
    const [first] = violations;
    if (first?.errorCode !== undefined && violations.every(({ errorCode }) => errorCode !== undefined))
      throw new Refusal(first.message, { status: 400, code: first.errorCode, violations });
    const { code, message, errors } = formError(violations);
    throw new Refusal(message, { status: 400, code, extraFields: { errors }, violations });
  }

  /** Records violations of the embedded Discord's own response, and sends the response anyway. */
  checkResponse<Response>(kind: Parameters<typeof validateResponse>[0], checkResponse: Response): Response {
    this.#record(`response ${kind}`, validateResponse(kind, checkResponse));
    return checkResponse;
  }

  #record(route: string, violations: readonly Violation[]): void {
    for (const violation of violations) this.violations.push({ ...violation, at: this.#now(), route });
    this.violations.splice(0, Math.max(0, this.violations.length - MAX_VIOLATIONS));
  }
}
