import type { BaseInteraction } from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import type { Funnel } from './funnel.ts';
import type { MessagePlan } from './plan.ts';
import type { Responder } from './responder.ts';
import { TOKEN_LIFE_MS } from './route.ts';
import { isTooLate } from './too-late.ts';

const WHAT = 'a late word';

/** Speaks to the member of an interaction alone for as long as its token lasts; false where that could not be. */
export function lateWord(
  responder: Responder,
  { createdTimestamp }: BaseInteraction,
  { clock, funnel }: { clock: Clock; funnel: Funnel },
) {
  return async (plan: MessagePlan): Promise<boolean> => {
    if (clock.now() >= createdTimestamp + TOKEN_LIFE_MS) return false;
    try {
      await responder.tellBeside(plan);
      return true;
    } catch (error) {
      if (isTooLate(error)) funnel.tooLate(WHAT);
      else funnel.sentenceFor(error, WHAT);
      return false;
    }
  };
}
