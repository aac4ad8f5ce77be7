import type { Say } from '../locales/index.ts';
import type { MessagePlan } from './plan.ts';

/** What deleting everything means, before it is asked once more. */
export function forgetQuestion({ tasks, sureId }: { tasks: number; sureId: string }, say: Say): MessagePlan {
  const label = say('ownData.buttons.sure');
  return {
    content: say('ownData.forget', { tasks: String(tasks) }),
    controls: [{ type: 'button', id: sureId, label, look: 'danger' }],
  };
}

export function lastQuestion({ reallyId }: { reallyId: string }, say: Say): MessagePlan {
  const label = say('ownData.buttons.really');
  return { content: say('ownData.forgetReally'), controls: [{ type: 'button', id: reallyId, label, look: 'danger' }] };
}

interface ForgottenPage {
  tasks: number;
  messages: number;
  running: number;
  left: number;
  /** Where those are that could not be deleted, as far as that is known. */
  links: readonly string[];
}

export function forgottenPage({ tasks, messages, running, left, links }: ForgottenPage, say: Say): MessagePlan {
  const lines = [
    say('ownData.forgotten', { tasks: String(tasks), messages: String(messages) }),
    ...(running === 0 ? [] : [say('ownData.running', { count: running })]),
    ...(left === 0 ? [] : [say('ownData.left', { count: left }), ...links.map((link) => `<${link}>`)]),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls: [] };
}
