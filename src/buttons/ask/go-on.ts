import { askedFor } from '../../commands/ask/request.ts';
import { chosenModel } from '../../commands/model-option.ts';
import type { Services } from '../../commands/services.ts';
import { customId } from '../../discord/custom-id.ts';
import type { Form, Opener } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { goneOnIn, goOnForm } from '../../views/ask/form.ts';
import { pressedTask, soon } from '../pressed-task.ts';
import { ofAsk } from './of-ask.ts';

const GO_ON = { verb: 'more', version: 1 } as const;
const GONE_ON = { verb: 'moref', version: 1 } as const;

export const goOnId = (taskId: string): string => customId(GO_ON.verb, GO_ON.version, taskId);

/** The next question of a conversation. */
export const goOnOpener: Opener<Services> = {
  ...GO_ON,
  async open(args, ask) {
    const task = ofAsk(await soon(pressedTask(args, ask), ask));
    return goOnForm(customId(GONE_ON.verb, GONE_ON.version, task.id), ask.say);
  },
};

export const goOnFilled: Form<Services> = {
  ...GONE_ON,
  answers: 'beside',
  async run(filled, ask) {
    const before = ofAsk(await pressedTask(filled.args, ask));
    const given = goneOnIn(filled);
    if (given.prompt === '') throw new Refusal('refusals.noWords');
    const { services, origin } = ask;
    const { effort, format, web } = before.request as { effort?: string; format?: string; web?: boolean };
    const model = await chosenModel('text', before.model, services);
    const request = askedFor({ ...given, effort, format, web }, model, before, origin);
    await services.tasks.submit({ ...origin, kind: 'ask', request, parent: before });
    return 'shown as it goes';
  },
};
