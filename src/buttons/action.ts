import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { actionOn, changeOn, type ShortChange, shortChanges } from '../services/tasks/follow-ups.ts';
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
    await ask.services.tasks.submit({ ...ask.origin, ...actionOn(parent, placeIn(args)) });
    return 'shown as it goes';
  },
};

/** Upscale, variation and reroll of a result that came without buttons. */
export const changeButton: Button<Services> = {
  ...CHANGE,
  answers: 'beside',
  async run({ args }, ask) {
    const parent = await pressedTask(args, ask);
    const short = shortChanges.find((one) => one === args[1]);
    if (!short) throw new Refusal('refusals.unknownButton');
    await ask.services.tasks.submit({ ...ask.origin, ...changeOn(parent, short) });
    return 'shown as it goes';
  },
};
