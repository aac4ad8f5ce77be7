import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { listText } from '../lib/formats.ts';
import { Listeners } from '../lib/listeners.ts';
import type { PlainLog } from '../lib/log.ts';
import { currentSubject } from '../lib/log-subject.ts';
import { safeName } from '../lib/loggable.ts';
import { SeveralRefusals } from '../lib/mistakes.ts';
import { Refusal } from '../lib/refusal.ts';
import { asSentence } from '../lib/text.ts';
import { type Say, sayIn } from '../locales/index.ts';
import { type FailureReason, GatewayError } from '../services/gateway/errors.ts';
import { StoreError, type StoreErrorKind } from '../services/tasks/store-error.ts';
import { newReference } from './delivery/backoff.ts';
import { wordedLimit } from './limit-words.ts';
import { escapeText, inlineCode } from './markdown.ts';
import { hasCode } from './outbox/errors.ts';

/** A longer quote of a gateway's message would not explain any more. */
const MAX_TEXT_LENGTH = 500;

/** More mistakes could not be read at a glance. */
const MAX_REFUSALS = 3;

const ANSWERED_ELSEWHERE =
  'Discord no longer accepts the reply, because there is one already. If another program uses the token of this bot, stop it.';

/** Store errors that may go away by themselves or with the operator's help, so the member is asked to try again. */
const TEMPORARY_ERRORS: ReadonlySet<StoreErrorKind> = new Set(['unreachable', 'full', 'locked', 'lost']);

/** A stored refusal may be from another version, so its key may no longer have a sentence. */
export function refusalMessage(refusal: { key: string; variables: Refusal['variables'] }, say: Say): string {
  const { missing = [] } = refusal.variables;
  const permissions = [missing].flat().map((name) => say(`permissions.${name}`, { defaultValue: `${name}` }));
  const variables = { ...refusal.variables, ...wordedLimit(refusal.variables, say), missing: permissions };
  // Text from outside is shown as code, where it can neither ping anyone nor break the sentence.
  const escapedVariables = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : listText([value].flat().map(inlineCode), say),
  ]);
  return say(refusal.key, { ...Object.fromEntries(escapedVariables), defaultValue: refusal.key });
}

/** Not escaped, since it may be the gateway's. */
export const reasonText = (reason: FailureReason | undefined, say: Say): string =>
  typeof reason === 'object'
    ? say(`reasons.${reason.name}`, { ...reason.variables, defaultValue: '' })
    : (reason ?? '');

/** Every failure ends here: one sentence for the member, one line for the log. */
export class Funnel {
  readonly #log: PlainLog;
  readonly #failures = new Listeners<[reason: string]>();
  /** Called with the kind of each failure, which is one of a few words and never contains text from outside. */
  readonly onFailure = this.#failures.add;

  constructor(log: PlainLog) {
    this.#log = log;
  }

  /** `what` names the failed work. It is only used in the log. `say`: for those who read the sentence; may be missing if no one does. */
  messageFor(error: unknown, what: string, say: Say = sayIn()): string {
    if (error instanceof Refusal) {
      this.#failures.notify(error.key.replace(/^refusals\./, ''));
      this.#log.info({ what, refusal: error.key }, 'Refused an interaction.');
      if (!(error instanceof SeveralRefusals)) return refusalMessage(error, say);
      return error.all
        .slice(0, MAX_REFUSALS)
        .map((one) => `- ${refusalMessage(one, say)}`)
        .join('\n');
    }
    if (error instanceof GatewayError) {
      const { kind, status, code, reason } = error;
      this.#failures.notify(`gateway.${kind}`);
      // The message is for the member only and not for the log, because it may quote the request.
      this.#log.warn({ what, kind, status, code: safeName(code) }, 'The gateway returned an error.');
      // A gateway's message can repeat the request and more.
      return say(`gateway.${kind}`, { message: asSentence(escapeText(reasonText(reason, say), MAX_TEXT_LENGTH)) });
    }
    if (error instanceof StoreError && TEMPORARY_ERRORS.has(error.kind)) {
      this.#failures.notify('store');
      this.#log.error({ what, kind: error.kind, reason: error.message }, 'The store failed.');
      return say('refusals.storeUnavailable');
    }
    this.#failures.notify('unexpected');
    // A bug: the member gets a reference that appears in all log lines of the task or the interaction.
    const subject = currentSubject();
    const reference = subject.task ?? subject.reference ?? newReference();
    this.#log.error({ what, reference, err: error }, 'An unexpected error occurred.');
    return say('unexpected', { reference });
  }

  /** Discord no longer accepts a reply, so only the log records it. */
  logTooLate(what: string, error: unknown): void {
    const isAnswered = hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
    this.#log.warn({ what }, isAnswered ? ANSWERED_ELSEWHERE : 'Discord no longer accepts the reply.');
  }
}
