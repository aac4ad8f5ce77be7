import { customIds, proposalUses } from '../../discord/custom-ids.ts';
import { escapeText } from '../../discord/markdown.ts';
import { type ButtonPlan, buttonPlan } from '../../discord/plan.ts';
import { newWords } from '../../lib/new-words.ts';
import type { Say } from '../../locales/index.ts';
import { proposalsOf } from '../../services/conversations/prompt-help.ts';
import type { Task } from '../../services/tasks/task.ts';

/** More than a whole prompt takes with all of its characters escaped. */
const MAX_LENGTH = 13_000;

/** The proposed prompts, as Markdown. */
export const proposalText = (task: Task): string =>
  proposalsOf(task)
    .map((proposal, index) => `${index + 1}. ${withNewInBold(task.request.prompt ?? '', proposal)}`)
    .join('\n\n');

/** Each word is bold by itself, because a long text is split between words. A text without a word in common has no bold words. */
function withNewInBold(original: string, proposal: string): string {
  const words = newWords(original, proposal) ?? [];
  if (words.every(({ isNew }) => isNew)) return escapeText(proposal, MAX_LENGTH);
  return words
    .map(({ word, isNew }) => (isNew ? `**${escapeText(word, MAX_LENGTH)}**` : escapeText(word, MAX_LENGTH)))
    .join(' ');
}

/** A row for each proposal. */
export function promptUseButtons(task: Task, say: Say): ButtonPlan[] {
  const proposals = proposalsOf(task);
  return proposals.flatMap((_, index) =>
    proposalUses.map((use) => {
      const name = say(`prompt.uses.${use}`);
      const label = proposals.length === 1 ? name : `${name} ${index + 1}`;
      return buttonPlan(label, customIds.useProposal.id({ taskId: task.id, index, use }), {
        startsRow: use === proposalUses[0],
      });
    }),
  );
}
