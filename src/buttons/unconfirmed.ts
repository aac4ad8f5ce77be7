import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { taskIn } from './task-argument.ts';

const AGAIN = { verb: 'again', version: 1 } as const;
const DISMISS = { verb: 'dismiss', version: 1 } as const;

export const tryAgainId = (taskId: string): string => customId(AGAIN.verb, AGAIN.version, taskId);
export const dismissId = (taskId: string): string => customId(DISMISS.verb, DISMISS.version, taskId);

/** Orders again what the gateway may or may not have taken, in the same message. */
export const tryAgainButton: Button<Services> = {
  ...AGAIN,
  answers: 'here',
  async run({ args }, { services, origin }) {
    await services.tasks.tryAgain(taskIn(args), origin);
    return 'shown as it goes';
  },
};

/** Lets an order rest whose fate nobody knows. */
export const dismissButton: Button<Services> = {
  ...DISMISS,
  answers: 'here',
  async run({ args }, { services, origin }) {
    return services.messageOf(await services.tasks.dismiss(taskIn(args), origin.requesterId));
  },
};
