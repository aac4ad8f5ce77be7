import { customIds } from '../../discord/custom-ids.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { Forgotten } from '../../services/tasks/own-data/removal.ts';

/** What deleting everything means, before it is asked once more. */
export function forgetQuestion(tasks: number, say: Say): MessagePlan {
  const label = say('ownData.buttons.sure');
  return {
    content: say('ownData.forget', { tasks: String(tasks) }),
    controls: [{ type: 'button', id: customIds.eraseDataSure.id(), label, look: 'danger' }],
  };
}

export function lastQuestion(say: Say): MessagePlan {
  const label = say('ownData.buttons.really');
  return {
    content: say('ownData.forgetReally'),
    controls: [{ type: 'button', id: customIds.eraseDataReally.id(), label, look: 'danger' }],
  };
}

/** It takes longer than anybody waits. */
export const underWayPage = (say: Say): MessagePlan => ({ content: say('ownData.underWay'), controls: [] });

/** With the addresses of the first of those messages that could not be deleted. */
export function forgottenPage(
  { tasks, messages, running, stays }: Omit<Forgotten, 'left'>,
  links: readonly string[],
  say: Say,
): MessagePlan {
  const lines = [
    say('ownData.forgotten', { tasks: String(tasks), messages: String(messages) }),
    ...(running === 0 ? [] : [say('ownData.running', { count: running })]),
    ...(stays === 0 ? [] : [say('ownData.left', { count: stays }), ...links.map((link) => `<${link}>`)]),
    ...(stays > links.length && links.length > 0 ? [say('ownData.more', { count: stays - links.length })] : []),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls: [] };
}
