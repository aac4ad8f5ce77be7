import { createHash } from 'node:crypto';
import { bodyOf } from './adapter.ts';
import type { Carrier } from './delivery/carrier.ts';
import { factsOf, troubleOf } from './delivery/errors.ts';
import type { MessagePlan } from './plan.ts';

/** Discord's limit. */
const LONGEST_NONCE = 25;

interface DirectWordParts {
  carrier: Carrier;
  log: { info(facts: object, sentence: string): void };
}

/** Says something to a person in a direct message. False: not now; who takes none from the bot at all is left alone. */
export function directWord({ carrier, log }: DirectWordParts) {
  return async (userId: string, plan: MessagePlan): Promise<boolean> => {
    try {
      await carrier.post(await carrier.openDirect(userId), nonceOf(userId, plan), bodyOf(plan));
      return true;
    } catch (error) {
      const trouble = troubleOf(error, 'direct');
      log.info({ trouble, ...factsOf(error) }, 'A direct message did not come through.');
      return trouble !== 'later';
    }
  };
}

/** The same for the same words, so that they stand there once where the first try was heard although its response was lost. */
function nonceOf(userId: string, { content = '' }: MessagePlan): string {
  return createHash('sha256').update(`${userId}:${content}`).digest('base64url').slice(0, LONGEST_NONCE);
}
