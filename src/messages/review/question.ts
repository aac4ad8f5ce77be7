import { customIds } from '../../discord/custom-ids.ts';
import { mayManageMessages } from '../../discord/interaction-facts.ts';
import { escapeText, inlineCode, messageLink } from '../../discord/markdown.ts';
import { buttonPlan, type MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { markResultsRefused, markShownByModerator } from '../../services/orders/review.ts';
import { isHeld, type Task } from '../../services/tasks/task.ts';
import { titleOf } from '../../services/tasks/task-facts.ts';
import { onPress } from '../pressed-task.ts';

/** As much as the message of a result shows. */
const MAX_PROMPT_LENGTH = 700;

/** A private message opens for its member only. */
const linkForModerators = (task: Task): string | undefined => (task.route.isPrivate ? undefined : messageLink(task));

export function reviewQuestion(task: Task, say: Say): MessagePlan {
  const { id, requesterId: member, review, route } = task;
  const link = linkForModerators(task);
  const category = review?.category;
  const prompt = escapeText(titleOf(task), MAX_PROMPT_LENGTH);
  const lines = [
    category === undefined
      ? say('task.review.unchecked')
      : say('task.review.objection', { category: inlineCode(category) }),
    link === undefined
      ? say(route.isPrivate ? 'task.review.requestedPrivately' : 'task.review.requested', { member })
      : say('task.review.requestedAt', { member, link }),
    ...(prompt === '' ? [] : [say('task.review.prompt', { prompt })]),
    `-# ${say('task.review.waits')}`,
  ];
  return {
    content: lines.join('\n'),
    controls: [
      buttonPlan(say(route.isPrivate ? 'task.review.allowPrivate' : 'task.review.allow'), customIds.allowResult.id(id)),
      buttonPlan(say('task.review.withhold'), customIds.withholdResult.id(id), { style: 'danger' }),
    ],
  };
}

const decisionButton = (verb: typeof customIds.allowResult, decision: 'allowed' | 'withheld') =>
  onPress(verb, {
    reply: 'here',
    async run(taskId, { services, facts, say }): Promise<MessagePlan> {
      const { tasks, clock } = services;
      // Ids can be forged, and the channel may be open to everyone.
      if (!mayManageMessages(facts)) throw new Refusal('refusals.rules.moderatorsOnly');
      const existing = await tasks.book.get(taskId);
      if (!existing || existing.guildId !== facts.guildId) throw new Refusal('refusals.unknownTask');
      const task = await tasks.book.change(taskId, (heldTask) => {
        if (!isHeld(heldTask)) throw new Refusal('refusals.rules.reviewOver');
        if (decision === 'allowed') return markShownByModerator(heldTask);
        const review = { ...heldTask.review, at: clock.now() };
        return markResultsRefused(heldTask, review, 'refusals.rules.resultRejected');
      });
      const outcome = decision === 'allowed' && task.route.isPrivate ? 'allowedPrivate' : decision;
      const decided = say(`task.review.${outcome}`, { who: `<@${facts.userId}>`, member: task.requesterId });
      const link = linkForModerators(task);
      return {
        content: link === undefined ? decided : `${decided} ${link}`,
        files: [],
        controls: [],
      };
    },
  });

export const reviewButtons = [
  decisionButton(customIds.allowResult, 'allowed'),
  decisionButton(customIds.withholdResult, 'withheld'),
];
