import type { Services } from '../../commands/services.ts';
import { ended } from '../../commands/talk/end.ts';
import { customId } from '../../discord/custom-id.ts';
import type { Button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { pressedTask } from '../pressed-task.ts';

const END = { verb: 'endtalk', version: 1 } as const;

export const endId = (talkId: string): string => customId(END.verb, END.version, talkId);

/** The message of the conversation changes by itself, wherever this was pressed. */
export const endTalkButton: Button<Services> = {
  ...END,
  answers: 'aside',
  async run({ args }, ask) {
    const task = await pressedTask(args, ask);
    if (task.kind !== 'talk') throw new Refusal('refusals.unknownButton');
    return ended(task, ask);
  },
};
