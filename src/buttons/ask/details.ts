import type { Services } from '../../commands/services.ts';
import { customId } from '../../discord/custom-id.ts';
import type { Button } from '../../discord/handlers.ts';
import { answerDetails } from '../../views/ask/details.ts';
import { pressedTask } from '../pressed-task.ts';
import { ofAsk } from './of-ask.ts';

const DETAILS = { verb: 'details', version: 1 } as const;

export const detailsId = (taskId: string): string => customId(DETAILS.verb, DETAILS.version, taskId);

/** Tokens and the like, for whoever wants to know. */
export const detailsButton: Button<Services> = {
  ...DETAILS,
  answers: 'aside',
  async run({ args }, ask) {
    const task = ofAsk(await pressedTask(args, ask));
    return answerDetails(task, await ask.services.asks.knewOf(task), ask.say);
  },
};
