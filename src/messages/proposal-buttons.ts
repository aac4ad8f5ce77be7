import { customIds } from '../discord/custom-ids.ts';
import { requirePostPermissions } from '../discord/guards.ts';
import { button, type HandlerContext, type Outcome } from '../discord/handlers.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { GatewayError } from '../services/gateway/index.ts';
import type { Proposal, ProposedOrder } from '../services/proposals.ts';
import { type MessageServices, submitConfirmed } from './pressed-task.ts';
import { proposalQuestion } from './proposal.ts';

type Context = HandlerContext<MessageServices>;

const runButton = button(customIds.runProposal, {
  reply: 'here',
  async run(id, context: Context) {
    const { services, place, origin, say } = context;
    throwIfRefusal(requirePostPermissions(place, { private: origin.route.isPrivate }));
    const proposal = await services.proposals.take(id, place.userId);
    if (services.proposals.hasRisen(proposal)) {
      const { memberId, orders, messages } = proposal;
      const repricedProposal = await services.proposals.create({ memberId, orders, messages }, id);
      const { outlook } = services.tasks;
      return proposalQuestion(repricedProposal, { reason: say('proposal.notSubmitted'), hasRisen: true, outlook }, say);
    }
    try {
      return await submitAll(proposal, context);
    } catch (error) {
      if (error instanceof Refusal || error instanceof GatewayError) await services.proposals.putBack(proposal);
      throw error;
    }
  },
});

async function submitAll({ orders, messages }: Proposal, context: Context): Promise<Outcome> {
  const ordersWithParents = await Promise.all(orders.map((order) => withParent(order, context)));
  const { origin, services, say } = context;
  if (messages === undefined) {
    for (const order of ordersWithParents) await submitConfirmed(order, { services, origin });
    return 'shown by delivery';
  }
  for (const order of ordersWithParents)
    await context.postAnother(
      { content: say('task.submitting') },
      (newOrigin) => submitConfirmed(order, { services, origin: newOrigin }),
      { isPrivate: messages === 'private' },
    );
  return { content: say('proposal.submitted', { count: ordersWithParents.length }), controls: [] };
}

async function withParent({ parentId, ...order }: ProposedOrder, { services }: Context) {
  const parent = parentId === undefined ? undefined : await services.tasks.book.get(parentId);
  // The parent task may have been erased in the meantime.
  if (parentId !== undefined && !parent) throw new Refusal('refusals.unknownTask');
  return { ...order, parent };
}

const cancelButton = button(customIds.cancelProposal, {
  reply: 'here',
  async run(id, { services, place, say }: Context) {
    await services.proposals.take(id, place.userId);
    return { content: say('proposal.canceled'), controls: [] };
  },
});

/** The buttons of a message that asks for confirmation. */
export const proposalButtons = [runButton, cancelButton];
