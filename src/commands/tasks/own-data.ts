import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { linkTo } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { within } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { Forgotten } from '../../services/tasks/own-data/wish.ts';
import type { Services } from '../services.ts';

/** Nobody looks at a page for longer without wondering. */
const AT_ONCE_MS = 8_000;

/** Everything that is stored about whoever asks, as a file that nobody else sees. */
export const exportButton = button(customIds.exportData, {
  answers: 'beside',
  async run(_nothing, ask: Ask<Services>) {
    mustBeAlone(ask);
    const { userId, uploadLimit } = ask.place;
    const { bytes, isCompressed, release, ...counts } = await ask.services.tasks.exportOf(userId, uploadLimit);
    const name = `atelier-${userId}.json${isCompressed ? '.gz' : ''}`;
    const content = ask.say('ownData.exported', { tasks: String(counts.tasks), entries: String(counts.entries) });
    return { plan: { content, files: [{ name, bytes }] }, release };
  },
});

/** First question. */
export const forgetButton = button(customIds.eraseData, {
  answers: 'here',
  async run(_nothing, ask: Ask<Services>) {
    mustBeAlone(ask);
    const tasks = await ask.services.tasks.countOf(ask.place.userId);
    return forgetQuestion(tasks, ask.say);
  },
});

/** Second question. */
export const forgetSureButton = button(customIds.eraseDataSure, {
  answers: 'here',
  async run(_nothing, ask: Ask<Services>) {
    mustBeAlone(ask);
    return lastQuestion(ask.say);
  },
});

/** Thousands of messages take Discord longer than an interaction lasts: then it goes on by itself, and what came of it is told later. */
export const forgetReallyButton = button(customIds.eraseDataReally, {
  answers: 'here',
  async run(_nothing, ask: Ask<Services>) {
    mustBeAlone(ask);
    const { clock, tasks } = ask.services;
    const done = Promise.withResolvers<undefined>();
    let page: MessagePlan | undefined;
    let isAnswered = false;
    await tasks.forget(ask.place.userId, async (forgotten) => {
      const outcome = forgottenOutcome(forgotten, ask.say);
      if (isAnswered) return ask.later(outcome);
      page = outcome;
      done.resolve(undefined);
      return true;
    });
    await within(clock, AT_ONCE_MS, done.promise);
    isAnswered = true;
    return page ?? underWayPage(ask.say);
  },
});

export function forgottenOutcome({ left, ...counts }: Forgotten, say: Say): MessagePlan {
  return forgottenPage(counts, left.map(linkTo), say);
}

/** Ids can be forged onto a message that others see. */
function mustBeAlone({ origin }: Ask<Services>): void {
  if (!origin.route.isPrivate) throw new Refusal('refusals.unknownButton');
}

/** What deleting everything means, before it is asked once more. */
function forgetQuestion(tasks: number, say: Say): MessagePlan {
  const label = say('ownData.buttons.confirm');
  return {
    content: say('ownData.confirm', { count: tasks }),
    controls: [{ type: 'button', id: customIds.eraseDataSure.id(), label, look: 'danger' }],
  };
}

function lastQuestion(say: Say): MessagePlan {
  const label = say('ownData.buttons.confirmAgain');
  return {
    content: say('ownData.confirmAgain'),
    controls: [{ type: 'button', id: customIds.eraseDataReally.id(), label, look: 'danger' }],
  };
}

/** It takes longer than anybody waits. */
const underWayPage = (say: Say): MessagePlan => ({ content: say('ownData.deleting'), controls: [] });

/** With the addresses of the first of those messages that could not be deleted. */
function forgottenPage(
  { tasks, messages, running, stays }: Omit<Forgotten, 'left'>,
  links: readonly string[],
  say: Say,
): MessagePlan {
  const lines = [
    say('ownData.deleted', { tasks: String(tasks), messages: String(messages) }),
    ...(running === 0 ? [] : [say('ownData.running', { count: running })]),
    ...(stays === 0 ? [] : [say('ownData.left', { count: stays }), ...links.map((link) => `<${link}>`)]),
    ...(stays > links.length && links.length > 0 ? [say('ownData.more', { count: stays - links.length })] : []),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls: [] };
}
