import { type REST, Routes } from 'discord.js';
import type { MessagePlan } from '../views/plan.ts';
import { bodyOf } from './adapter.ts';
import { factsOf, troubleOf } from './delivery/errors.ts';

interface DirectWordParts {
  botRest: REST;
  log: { info(facts: object, sentence: string): void };
}

/** Says something to a person in a direct message. False: not now; who takes none from the bot at all is left alone. */
export function directWord({ botRest, log }: DirectWordParts) {
  return async (userId: string, plan: MessagePlan): Promise<boolean> => {
    try {
      const channel = await botRest.post(Routes.userChannels(), { body: { recipient_id: userId } });
      await botRest.post(Routes.channelMessages((channel as { id: string }).id), { ...bodyOf(plan) });
      return true;
    } catch (error) {
      const trouble = troubleOf(error, 'direct');
      log.info({ trouble, ...factsOf(error) }, 'A direct message did not come through.');
      return trouble !== 'later';
    }
  };
}
