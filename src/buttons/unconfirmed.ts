import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { ownTask } from './pressed-task.ts';
import { taskIn } from './task-argument.ts';

const AGAIN = { verb: 'again', version: 1 } as const;
const AGAIN_OPENLY = { verb: 'againo', version: 1 } as const;
const AGAIN_BESIDE = { verb: 'againb', version: 1 } as const;
const DISMISS = { verb: 'dismiss', version: 1 } as const;

export const tryAgainId = (taskId: string): string => customId(AGAIN.verb, AGAIN.version, taskId);
/** For a page of its own, which stays what it is. */
export const tryAgainOpenlyId = (taskId: string): string => customId(AGAIN_OPENLY.verb, AGAIN_OPENLY.version, taskId);
export const tryAgainBesideId = (taskId: string): string => customId(AGAIN_BESIDE.verb, AGAIN_BESIDE.version, taskId);
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

/** The same in a message of its own, as public as the order was. */
export const tryAgainOpenlyButton: Button<Services> = {
  ...AGAIN_OPENLY,
  answers: 'openly',
  async run({ args }, ask) {
    const { id, route } = await ownTask(args, ask);
    if (route.isPrivate) throw new Refusal('refusals.unknownButton');
    await ask.services.tasks.tryAgain(id, ask.origin);
    return 'shown as it goes';
  },
};

export const tryAgainBesideButton: Button<Services> = {
  ...AGAIN_BESIDE,
  answers: 'beside',
  run: tryAgainButton.run,
};

/** Lets an order rest whose fate nobody knows. */
export const dismissButton: Button<Services> = {
  ...DISMISS,
  answers: 'here',
  async run({ args }, { services, origin }) {
    return services.messageOf(await services.tasks.dismiss(taskIn(args), origin.requesterId));
  },
};
