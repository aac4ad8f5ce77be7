import { customIds } from '../discord/custom-ids.ts';
import type { MessagePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import type { Proposal } from '../services/proposals.ts';
import type { Outlook } from '../services/tasks/outlook.ts';
import { roundedDollars } from './money.ts';
import { outlookNotes } from './outlook.ts';
import { buttonPlan } from './task-buttons.ts';

interface QuestionFacts {
  /** Why the member is asked, shown before the price. */
  reason: string;
  /** The label of the button that submits. */
  run?: string;
  hasRisen?: boolean;
  outlook: Pick<Outlook, 'prospectOf'>;
}

/** Asks a member whether orders are to be submitted. */
export function proposalQuestion(
  { id, orders, price }: Proposal,
  { reason, run: runLabel, hasRisen = false, outlook }: QuestionFacts,
  say: Say,
): MessagePlan {
  const cost = price === undefined ? say('cost.unknown') : say('cost.about', { amount: roundedDollars(price) });
  return {
    content: [
      ...(hasRisen ? [say('proposal.risen')] : []),
      reason,
      ...outlookNotes(orders, outlook, say),
      say('proposal.cost', { cost, count: orders.length }),
    ].join('\n'),
    controls: [
      buttonPlan(runLabel ?? say('proposal.run', { count: orders.length }), customIds.runProposal.id(id), {
        style: 'primary',
      }),
      buttonPlan(say('task.buttons.cancel'), customIds.cancelProposal.id(id)),
    ],
  };
}
