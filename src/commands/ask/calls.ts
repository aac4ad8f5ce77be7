import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal, throwRefusal } from '../../lib/refusal.ts';
import { ofKind, ownTask } from '../../messages/pressed-task.ts';
import { argumentsOf, type CostlyTool } from '../../services/asks/tools.ts';
import { answerOf } from '../../services/asks/transitions.ts';
import type { AnswerCall } from '../../services/tasks/answer.ts';
import type { Task, TaskKind } from '../../services/tasks/task.ts';
import type { OrderedOf } from '../../services/tasks/transitions.ts';
import { imageRequest } from '../image/request.ts';
import { chosenModel } from '../options.ts';
import type { Services } from '../services.ts';
import { videoOrder, videoRequest } from '../video/request.ts';

const ORDERED: Readonly<Record<CostlyTool, string>> = {
  make_image: 'The user said yes. The picture is being made, and will appear below in a message of its own.',
  make_video:
    'The user said yes. The film is being made, and will appear below in a message of its own, in some minutes.',
};
const DECLINED = 'The user said no. It was not made.';

/** Orders what the model asked for, as if the member had used the command, in a new message. */
export const allowButton = button(customIds.allow, {
  answers: 'beside',
  async run(pointer, ask: Ask<Services>) {
    const { task, call } = await openCall(pointer, ask);
    const name = costly(call);
    const { origin, place, services } = ask;
    throwRefusal(mayPostFiles(place, { private: origin.route.isPrivate }));
    const order = await orderOf(name, call, services);
    await services.asks.allow(task.id, call.callId, ORDERED[name], () =>
      services.tasks.orders.submit({ ...origin, ...order, parent: task }),
    );
    return 'shown as it goes';
  },
});

export const declineButton = button(customIds.decline, {
  answers: 'here',
  async run(pointer, ask: Ask<Services>) {
    const { task, call } = await openCall(pointer, ask);
    await ask.services.asks.decline(task.id, call.callId, DECLINED);
    return 'shown as it goes';
  },
});

type Calls = Parameters<typeof customIds.allow.id>[0];

async function openCall({ taskId, place }: Calls, ask: Ask<Services>): Promise<{ task: Task; call: AnswerCall }> {
  const task = ofKind('ask', await ownTask(taskId, ask));
  const call = answerOf(task).rounds.at(-1)?.calls[place - 1];
  if (call?.state !== 'waiting' || task.state !== 'needs-input') throw new Refusal('refusals.alreadyDecided');
  return { task, call };
}

function costly({ name }: AnswerCall): CostlyTool {
  if (name === 'make_image' || name === 'make_video') return name;
  throw new Refusal('refusals.unknownButton');
}

async function orderOf(name: CostlyTool, call: AnswerCall, services: Services): Promise<OrderedOf<TaskKind>> {
  const given = argumentsOf(name, call.arguments);
  if (!given) throw new Refusal('refusals.unknownButton');
  const { prompt } = given;
  if (name === 'make_image') {
    const request = throwRefusal(imageRequest({ prompt }));
    return { kind: 'image', request: { ...request, model: await chosenModel('image', given.model, services) } };
  }
  const draft = throwRefusal(videoRequest({ prompt }));
  const model = await chosenModel('video', given.model, services);
  return videoOrder(draft, { model, fields: services.videoFields });
}
