import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button, type Outcome } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { MessageServices } from '../services.ts';
import { ownTask } from './pressed-task.ts';

async function tryAgain(taskId: string, { services, origin }: Ask<MessageServices>): Promise<Outcome> {
  await services.tasks.orders.tryAgain(taskId, origin);
  return 'shown as it goes';
}

/** Orders again what the gateway may or may not have taken, in the same message. */
export const tryAgainButton = button(customIds.tryAgain, {
  answers: 'here',
  run: tryAgain,
});

/** The same in a message of its own, as public as the order was. */
export const tryAgainOpenlyButton = button(customIds.tryAgainOpenly, {
  answers: 'openly',
  async run(taskId, ask: Ask<MessageServices>) {
    const { id, route } = await ownTask(taskId, ask);
    if (route.isPrivate) throw new Refusal('refusals.unknownButton');
    await ask.services.tasks.orders.tryAgain(id, ask.origin);
    return 'shown as it goes';
  },
});

export const tryAgainBesideButton = button(customIds.tryAgainBeside, {
  answers: 'beside',
  run: tryAgain,
});

/** Lets an order rest whose fate nobody knows. */
export const dismissButton = button(customIds.dismiss, {
  answers: 'here',
  async run(taskId, { services, origin }: Ask<MessageServices>) {
    return services.messageOf(await services.tasks.orders.dismiss(taskId, origin.requesterId));
  },
});
