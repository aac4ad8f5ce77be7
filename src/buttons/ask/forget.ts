import type { Services } from '../../commands/services.ts';
import { customId } from '../../discord/custom-id.ts';
import type { Button } from '../../discord/handlers.ts';
import { ownTask } from '../pressed-task.ts';
import { ofAsk } from './of-ask.ts';

const FORGET = { verb: 'letgo', version: 1 } as const;

export const forgetId = (taskId: string): string => customId(FORGET.verb, FORGET.version, taskId);

/** Nothing of the conversation is sent to a model any more. */
export const forgetButton: Button<Services> = {
  ...FORGET,
  answers: 'aside',
  async run({ args }, ask) {
    await ask.services.asks.forget(ofAsk(await ownTask(args, ask)));
    return { content: ask.say('ask.forgotten') };
  },
};
