import type { Answers } from '../discord/answers/answers.ts';
import { requirePostPermissions } from '../discord/guards.ts';
import { definersFor, type HandlerContext, type HandlerResult } from '../discord/handlers.ts';
import { type InteractionFacts, mayManageMessages, type Origin } from '../discord/interaction-facts.ts';
import type { MessageRemover } from '../discord/outbox/message-remover.ts';
import type { Outbox } from '../discord/outbox/outbox.ts';
import type { MessagePlan, PreparedMessage } from '../discord/plan.ts';
import { type Clock, withTimeout } from '../lib/clock.ts';
import { setSubjectTask } from '../lib/log-subject.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { requesterOf } from '../services/money/limits.ts';
import type { Domains } from '../services/operations/engine.ts';
import type { Proposal } from '../services/orders/proposals.ts';
import type { CommonRequest, TaskKind } from '../services/tasks/kind-spec.ts';
import { isOfKind, type Task, withRequest } from '../services/tasks/task.ts';
import { asSeenBy, mayContinue } from '../services/tasks/task-facts.ts';
import { type OrderedRequest, orderOfTask } from '../services/tasks/transitions.ts';
import { confirmationReason } from './money.ts';
import { type ProposalReason, proposalQuestion } from './proposal.ts';

/** The services that the buttons on task messages use. */
export interface MessageServices extends Domains {
  clock: Clock;
  discord: { remover: MessageRemover; outbox: Outbox };
  messages: {
    answers: Answers;
    messageOf(task: Task): MessagePlan;
    prepareAgain(task: Task, origin: Origin): Promise<PreparedMessage>;
    judgeAgain(task: Task, facts: InteractionFacts): Promise<Task>;
  };
}

export type MessageHandlerContext = HandlerContext<MessageServices>;

export const { on: onPress } = definersFor<MessageServices>();

/** Returns the task whose button was pressed, for every member who can see it. */
export async function pressedTask(taskId: string, { services, facts }: MessageHandlerContext): Promise<Task> {
  const task = await services.tasks.book.get(taskId);
  if (!task) throw new Refusal('refusals.unknownTask');
  if (!mayContinue(task, facts))
    throw new Refusal(mayManageMessages(facts) ? 'refusals.notYoursToModerate' : 'refusals.notYours');
  setSubjectTask(task.id);
  if (!mayManageMessages(facts) && !task.traits.isTalk)
    // The rules of the place apply, because the roles and permissions of the member are those there.
    services.safety.rules.assertMayPress({ requesterId: task.requesterId, guildId: facts.guildId }, facts);
  return asSeenBy(facts.userId, task);
}

/** Returns the task whose button was pressed, for decisions that only its owner can make. */
export async function ownTask(taskId: string, context: MessageHandlerContext): Promise<Task> {
  return requireOwner(await pressedTask(taskId, context), context);
}

export function requireOwner(task: Task, { facts }: MessageHandlerContext): Task {
  if (task.requesterId !== facts.userId) throw new Refusal('refusals.notYours');
  return task;
}

/** Ids can be forged: a button of one kind of task is not valid on another. */
export function requireKind<K extends TaskKind>(kind: K, task: Task): Extract<Task, { kind: K }> {
  if (!isOfKind(kind, task)) throw new Refusal('refusals.unknownButton');
  return task;
}

/** A form must open within Discord's limit of three seconds, so the store gets one of these seconds. */
export const STORE_TIMEOUT_MS = 1_000;

/** Waits for the store before a form opens, and gives up in time, because Discord does not accept a late form. */
export async function loadForForm<Value extends object | string>(
  value: Promise<Value>,
  { services }: MessageHandlerContext,
): Promise<Value> {
  const loadedValue = await withTimeout(services.clock, STORE_TIMEOUT_MS, value);
  if (loadedValue === undefined) throw new Refusal('refusals.storeSlow');
  return loadedValue;
}

type SubmitContext = Pick<MessageHandlerContext, 'services' | 'origin' | 'say'>;

export type NewOrder = OrderedRequest<TaskKind> & { parent?: Task | undefined };

/** Submits an order, or asks its member for confirmation first if the server requires that at this price. */
export async function submitOrder(order: NewOrder, { services, origin, say }: SubmitContext): Promise<HandlerResult> {
  const limit = services.tasks.proposals.limitExceededBy(order, origin.guildId);
  if (limit === undefined) return submitConfirmed(order, { services, origin });
  const reason = confirmationReason(limit, say);
  return propose([order], { reason }, { services, origin, say });
}

/** Asks a member to confirm orders that would not be refused. Results are shown in the message that asks or, with `messages`, in their own; a batch has one. */
export async function propose(
  orders: readonly NewOrder[],
  reason: ProposalReason,
  { services, origin, say }: SubmitContext,
  messages?: Proposal['messages'],
  batch?: Proposal['batch'],
): Promise<HandlerResult> {
  let hidesPrompt = false;
  // Others see the prompts of a batch before all of them are submitted.
  const isSeenByOthers = batch ? messages === 'public' : !origin.route.isPrivate;
  for (const order of orders) {
    services.tasks.orders.check({ ...origin, ...order }, orders.length);
    if (isSeenByOthers && (await services.tasks.orders.isHeldForContent({ ...origin, ...order }))) hidesPrompt = true;
  }
  const { guildId } = origin;
  const proposal = await services.tasks.proposals.create({
    memberId: origin.requesterId,
    orders: orders.map(({ parent, ...order }) => ({ ...order, parentId: parent?.id })),
    messages,
    batch: batch && (hidesPrompt ? { ...batch, typed: '' } : batch),
    // The question about a batch is public only if the lists are those of a preset.
    hidesPrompt: hidesPrompt && !(batch && origin.route.isPrivate),
    message: origin.route.isPrivate ? undefined : origin.message && { ...origin.message, guildId },
  });
  const limits = limitsLine(orders, { services, origin, say });
  const asked = { ...reason, reason: [reason.reason, ...limits].join('\n'), outlook: services.tasks.outlook };
  const plan = proposalQuestion(proposal, asked, say);
  if (origin.route.isPrivate || proposal.message) return plan;
  return {
    plan,
    release: () => undefined,
    async onPosted(message) {
      if (message) await services.tasks.proposals.recordMessage(proposal.id, { ...message, guildId });
    },
  };
}

/** Says before anything is submitted that the limits allow only some of the tasks. */
function limitsLine(orders: readonly NewOrder[], { services, origin, say }: SubmitContext): string[] {
  const [order] = orders;
  if (!order) return [];
  const { spending, prices } = services.money;
  const amounts = orders.map((one) => prices.estimateOf({ ...origin, ...one })?.amount);
  const count = spending.fittingCount(requesterOf({ ...origin, ...order }), order.kind, amounts);
  return count < orders.length ? [say('batch.allowed', { count })] : [];
}

/** Submits an order. Delivery shows the result. */
export async function submitConfirmed(
  order: NewOrder,
  { services, origin }: Omit<SubmitContext, 'say'>,
): Promise<'shown by delivery'> {
  await services.tasks.orders.submit({ ...origin, ...order });
  return 'shown by delivery';
}

/** Repeats the order of a task for the member who pressed the button: a new task with the same parent, and with these changes. */
export async function repeatOrder(task: Task, context: MessageHandlerContext, changes: CommonRequest = {}) {
  // The bot's permissions may have changed since the first order, or differ if the result was shown again.
  throwIfRefusal(requirePostPermissions(context.facts, { private: context.origin.route.isPrivate }));
  const parent = await parentOf(task, context.services);
  // Another member's settings are not those of the new task's owner.
  const isOwn = task.requesterId === context.facts.userId;
  const request = { ...(!isOwn && { sources: undefined }), ...changes };
  return submitOrder({ ...orderOfTask(withRequest(task, request)), parent }, context);
}

/** A batch is not what a task was made from. */
export async function parentOf({ parentId }: Task, { tasks }: MessageServices): Promise<Task | undefined> {
  const parent = parentId === undefined ? undefined : await tasks.book.get(parentId);
  return parent?.traits.isBatch ? undefined : parent;
}
