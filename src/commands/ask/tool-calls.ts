import { customIds } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { ownTask, requireKind } from '../../messages/pressed-task.ts';
import { type CostlyTool, decidedOutputs, parseArguments } from '../../services/conversations/ask-tools.ts';
import { callsOf } from '../../services/conversations/ask-transitions.ts';
import type { AnswerCall } from '../../services/tasks/answer.ts';
import type { TaskKind } from '../../services/tasks/kind-spec.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { OrderedRequest } from '../../services/tasks/transitions.ts';
import { type Context, on, type Services } from '../feature.ts';
import { imageRequest } from '../image/request.ts';
import { chooseModel } from '../options.ts';
import { videoOrder, videoRequest } from '../video/request.ts';

/** Submits a tool call of the model as if the member had used the command; the result appears in a new message. */
export const allowToolCall = on(customIds.allow, {
  reply: 'new-message',
  async run(pointer, context) {
    const { task, call } = await waitingCall(pointer, context);
    const name = costlyTool(call);
    const { origin, facts, services } = context;
    throwIfRefusal(requirePostPermissions(facts, { private: origin.route.isPrivate }));
    const order = await orderOf(name, call, services);
    await services.conversations.asks.approveCall(task.id, call.callId, decidedOutputs[name], () =>
      services.tasks.orders.submit({ ...origin, ...order, parent: task }),
    );
    return 'shown by delivery';
  },
});

export const declineToolCall = on(customIds.decline, {
  reply: 'here',
  async run(pointer, context) {
    const { task, call } = await waitingCall(pointer, context);
    await context.services.conversations.asks.declineCall(task.id, call.callId, decidedOutputs.declined);
    return 'shown by delivery';
  },
});

type CallPointer = Parameters<typeof customIds.allow.id>[0];

async function waitingCall(
  { taskId, index }: CallPointer,
  context: Context,
): Promise<{ task: Task; call: AnswerCall }> {
  const task = requireKind('ask', await ownTask(taskId, context));
  const call = callsOf(task)[index - 1];
  if (call?.state !== 'waiting' || task.state !== 'needs-input') throw new Refusal('refusals.alreadyDecided');
  return { task, call };
}

function costlyTool({ name }: AnswerCall): CostlyTool {
  if (name === 'make_image' || name === 'make_video') return name;
  throw new Refusal('refusals.unknownButton');
}

async function orderOf(name: CostlyTool, call: AnswerCall, services: Services): Promise<OrderedRequest<TaskKind>> {
  const parsed = parseArguments(name, call.arguments);
  if (!parsed) throw new Refusal('refusals.unknownButton');
  const { prompt } = parsed;
  if (name === 'make_image') {
    const request = throwIfRefusal(imageRequest({ prompt }));
    return { kind: 'image', request: { ...request, model: await chooseModel('image', parsed.model, services) } };
  }
  const draft = throwIfRefusal(videoRequest({ prompt }));
  const model = await chooseModel('video', parsed.model, services);
  return videoOrder(draft, { model, fields: services.settings.gateway.fields });
}
