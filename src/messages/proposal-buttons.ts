import { customIds } from '../discord/custom-ids.ts';
import { requirePostPermissions } from '../discord/guards.ts';
import type { HandlerResult } from '../discord/handlers.ts';
import type { Origin } from '../discord/interaction-facts.ts';
import { ContentRefusal, Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { GatewayError } from '../services/gateway/errors.ts';
import type { Proposal, ProposedOrder } from '../services/orders/proposals.ts';
import { batchButtons, runBatch, takeAsTyped } from './batch-buttons.ts';
import { confirmationReason } from './money.ts';
import { type MessageHandlerContext, onPress, submitConfirmed } from './pressed-task.ts';
import { proposalQuestion, requestLines } from './proposal.ts';

/** On the neutral reply to a message: asks its author in private, because everyone can read the reply. */
const showButton = onPress(customIds.showProposal, {
  reply: 'new-private',
  async run(id, { services, facts, say }) {
    const proposal = await services.tasks.proposals.find(id, facts.userId);
    if (services.tasks.proposals.hasExpired(proposal)) throw new Refusal('refusals.questionExpired');
    const [order] = proposal.orders;
    const limit = order && services.tasks.proposals.limitExceededBy(order, facts.guildId);
    const reason = limit === undefined ? say('proposal.notSubmitted') : confirmationReason(limit, say);
    return proposalQuestion(proposal, { reason, outlook: services.tasks.outlook }, say);
  },
});

/** The place of a reply that everyone can read, for an order that its author confirms in private. */
const inPublicReply = (origin: Origin, { message }: Proposal): Origin => {
  if (!message || !origin.route.isPrivate) return origin;
  const { token: _, ...route } = origin.route;
  return { ...origin, message, route: { ...route, isPrivate: false, mayPost: true } };
};

const runButton = onPress(customIds.runProposal, {
  reply: 'here',
  async run(id, context) {
    const { services, facts, origin, notifyLater, messageFor, say, sayToMember } = context;
    throwIfRefusal(requirePostPermissions(facts, { private: origin.route.isPrivate }));
    const { proposals } = services.tasks;
    const asked = await proposals.find(id, facts.userId);
    if (asked.batch && !proposals.hasExpired(asked) && !proposals.hasRisen(asked)) return runBatch(asked, context);
    const proposal = await proposals.take(id, facts.userId);
    if (services.tasks.proposals.hasExpired(proposal)) {
      const expired = { content: messageFor(new Refusal('refusals.questionExpired'), sayToMember), controls: [] };
      if (origin.route.isPrivate) return expired;
      await notifyLater(expired);
      return 'deleted';
    }
    if (services.tasks.proposals.hasRisen(proposal)) {
      const repricedProposal = await services.tasks.proposals.create(proposal, id);
      const { outlook } = services.tasks;
      return proposalQuestion(repricedProposal, { reason: say('proposal.notSubmitted'), hasRisen: true, outlook }, say);
    }
    return submitAll(proposal, context);
  },
});

const asTypedButton = onPress(customIds.runAsTyped, {
  reply: 'here',
  async run(id, context) {
    const { single, question } = await takeAsTyped(id, context);
    return single ? submitAll(single, context) : question;
  },
});

/** Orders that were not submitted stay in the proposal, so that the member can confirm them again. */
async function submitAll(proposal: Proposal, context: MessageHandlerContext): Promise<HandlerResult> {
  const { id, memberId, orders, messages } = proposal;
  const { services, origin, postAnother, notifyLater, messageFor, say, sayToMember } = context;
  const submitted = new Set<ProposedOrder>();
  const submit = async (order: ProposedOrder, orderOrigin: Origin): Promise<void> => {
    submitted.add(order);
    try {
      await submitConfirmed(await withParent(order, context), { services, origin: orderOrigin });
    } catch (error) {
      // After any other failure, the order may have been submitted.
      if (error instanceof Refusal || error instanceof GatewayError) submitted.delete(order);
      throw error;
    }
  };
  const refusals: string[] = [];
  const rest = () => orders.filter((order) => !submitted.has(order));
  try {
    for (const order of orders) {
      const refusal = messages === undefined ? undefined : refusalOf(order, orders.length, context);
      if (refusal !== undefined) refusals.push(refusal);
      else if (messages === undefined) await submit(order, inPublicReply(origin, proposal));
      else {
        const submitHere = (orderOrigin: Origin) => submit(order, orderOrigin);
        const isPosted = await postAnother((sayThere) => ({ content: sayThere('task.submitting') }), submitHere, {
          isPrivate: messages === 'private',
        });
        // Discord allows no more messages.
        if (!isPosted) break;
      }
    }
  } catch (error) {
    if (error instanceof ContentRefusal && !origin.route.isPrivate) {
      // The question shows everyone what was refused.
      const request = requestLines(orders, sayToMember).join('\n');
      const lines = [sayToMember('yourRequest', { request }), messageFor(error, sayToMember)];
      await notifyLater({ content: lines.join('\n') });
      return 'deleted';
    }
    await services.tasks.proposals.putBack(proposal, rest());
    throw error;
  }
  if (messages === undefined && proposal.message && origin.route.isPrivate)
    return { content: say('proposal.submitted', { count: 1 }), controls: [] };
  if (messages === undefined) return 'shown by delivery';
  const count = submitted.size;
  if (count === orders.length) return { content: say('proposal.submitted', { count }), controls: [] };
  const restProposal = await services.tasks.proposals.create({ memberId, orders: rest(), messages }, id);
  const { outlook } = services.tasks;
  const reason = [
    count === 0 ? say('proposal.notSubmitted') : say('proposal.partlySubmitted', { count }),
    ...[...Map.groupBy(refusals, (one) => one)].map(([refusal, { length }]) =>
      say('proposal.refused', { count: length, refusal }),
    ),
  ].join('\n');
  return proposalQuestion(restProposal, { reason, outlook }, say);
}

/** Why an order would be refused before it has a message; the same reason for several orders is said once. */
function refusalOf(order: ProposedOrder, count: number, { services, origin, messageFor, say }: MessageHandlerContext) {
  try {
    services.tasks.orders.check({ ...origin, ...order }, count);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return messageFor(error, say);
    throw error;
  }
}

async function withParent({ parentId, ...order }: ProposedOrder, { services }: MessageHandlerContext) {
  const parent = parentId === undefined ? undefined : await services.tasks.book.get(parentId);
  // The parent task may have been erased in the meantime.
  if (parentId !== undefined && !parent) throw new Refusal('refusals.unknownTask');
  return { ...order, parent };
}

const cancelButton = onPress(customIds.cancelProposal, {
  reply: 'here',
  async run(id, { services, facts, origin, say }) {
    const { message } = await services.tasks.proposals.take(id, facts.userId);
    if (message && origin.route.isPrivate) await services.discord.remover.removeMessage(message);
    // A question that others can see means nothing to them any more.
    if (!origin.route.isPrivate) return 'deleted';
    return { content: say('proposal.canceled'), controls: [] };
  },
});

export const proposalButtons = [showButton, runButton, asTypedButton, cancelButton, ...batchButtons];
