import { type BodyFacts, type BodyKind, formError, judgeAnswer, judgeBody, type Violation } from './judge/index.ts';
import { Refusal } from './refusal.ts';

export interface RecordedViolation extends Violation {
  readonly at: number;
  readonly route: string;
}

const MOST = 1_000;

/** Everything the judge objected to. What was wrong with a request is also its answer. */
export class JudgeBook {
  readonly violations: RecordedViolation[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  body(route: string, kind: BodyKind, body: unknown, facts?: BodyFacts): void {
    this.refuse(route, judgeBody(kind, body, facts));
  }

  /** Refuses what only this side can see to be wrong, such as an answer that does not suit its interaction. */
  refuse(route: string, violations: readonly Violation[]): void {
    if (violations.length === 0) return;
    this.#record(route, violations);
    const [first] = violations;
    if (first?.number !== undefined && violations.every(({ number }) => number !== undefined))
      throw new Refusal(first.message, { status: 400, code: first.number, violations });
    const { code, message, errors } = formError(violations);
    throw new Refusal(message, { status: 400, code, more: { errors }, violations });
  }

  /** The embedded Discord's own faults: recorded, and sent all the same. */
  answer<Answer>(kind: Parameters<typeof judgeAnswer>[0], answer: Answer): Answer {
    this.#record(`answer ${kind}`, judgeAnswer(kind, answer));
    return answer;
  }

  #record(route: string, violations: readonly Violation[]): void {
    for (const violation of violations) this.violations.push({ ...violation, at: this.#now(), route });
    this.violations.splice(0, Math.max(0, this.violations.length - MOST));
  }
}
