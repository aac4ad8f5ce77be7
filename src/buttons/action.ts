import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Ask, Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { GatewayError } from '../services/gateway/index.ts';
import { actionOn, changeOn, type FollowUp, type ShortChange, shortChanges } from '../services/tasks/follow-ups.ts';
import { placeIn, pressedTask } from './pressed-task.ts';

const ACTION = { verb: 'a', version: 1 } as const;
const CHANGE = { verb: 'chg', version: 1 } as const;

export const actionId = (taskId: string, place: number): string =>
  customId(ACTION.verb, ACTION.version, taskId, String(place));
export const changeId = (taskId: string, short: ShortChange): string =>
  customId(CHANGE.verb, CHANGE.version, taskId, short);

/** Presses a button that the gateway gave with a result. The new task is whoever pressed it's. */
export const actionButton: Button<Services> = {
  ...ACTION,
  answers: 'beside',
  async run({ args }, ask) {
    const parent = await pressedTask(args, ask);
    await press(actionOn(parent, placeIn(args)), ask);
    return 'shown as it goes';
  },
};

/** Orders a follow-up; what the gateway does not know is no longer offered. */
export async function press(
  followUp: FollowUp,
  { services, origin }: Pick<Ask<Services>, 'services' | 'origin'>,
): Promise<void> {
  try {
    await services.tasks.submit({ ...origin, ...followUp });
  } catch (error) {
    const { customId: pressed } = followUp.request;
    if (error instanceof GatewayError && error.kind === 'not-offered' && typeof pressed === 'string')
      services.offers.refuse(pressed);
    throw error;
  }
}

/** Upscale, variation and reroll of a result that came without buttons. */
export const changeButton: Button<Services> = {
  ...CHANGE,
  answers: 'beside',
  async run({ args }, ask) {
    const parent = await pressedTask(args, ask);
    const short = shortChanges.find((one) => one === args[1]);
    if (!short) throw new Refusal('refusals.unknownButton');
    await press(changeOn(parent, short), ask);
    return 'shown as it goes';
  },
};
