import { customIds } from '../../discord/custom-ids.ts';
import { linkToMessage } from '../../discord/markdown.ts';
import { buttonPlan, type MessagePlan } from '../../discord/plan.ts';
import { withTimeout } from '../../lib/clock.ts';
import { countText } from '../../lib/formats.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { ErasureOutcome } from '../../services/orders/task-store.ts';
import { type Context, on } from '../feature.ts';

/** After this time the member gets an interim message. */
const INTERIM_AFTER_MS = 8_000;

/** Sends the member everything that is stored about them, as a private file. */
const exportButton = on(customIds.exportData, {
  reply: 'new-message',
  async run(_nothing, context) {
    requirePrivate(context);
    context.services.discord.rateLimiter.assertAllowed('export', context.facts);
    const { facts, services, say } = context;
    const { userId, uploadLimit } = facts;
    const file = await services.tasks.exports.create(userId, uploadLimit, (part) => say(`ownData.explained.${part}`));
    const { bytes, isCompressed, release, ...counts } = file;
    const name = `atelier-${userId}.json${isCompressed ? '.gz' : ''}`;
    const [tasks, entries] = [countText(counts.tasks, say), countText(counts.entries, say)];
    const content = say('ownData.exported', { tasks, entries });
    return { plan: { content, files: [{ name, bytes }] }, release };
  },
});

/** Asks for the first of two confirmations. */
const eraseButton = on(customIds.eraseData, {
  reply: 'here',
  async run(_nothing, context) {
    requirePrivate(context);
    const { services, facts, say } = context;
    const { count, hasUndeletable } = await services.tasks.countTasks(facts.userId);
    const question = count === 0 ? say('ownData.confirmNoTasks') : say('ownData.confirm', { count });
    const warning = hasUndeletable ? ` ${say('ownData.confirmOwnInstall')}` : '';
    return confirmation(question + warning, 'confirm', say);
  },
});

/** Asks for the second confirmation. */
const eraseConfirmButton = on(customIds.eraseDataConfirm, {
  reply: 'here',
  async run(_nothing, context) {
    requirePrivate(context);
    return confirmation(context.say('ownData.confirmAgain'), 'confirmAgain', context.say);
  },
});

const confirmIds = { confirm: customIds.eraseDataConfirm, confirmAgain: customIds.eraseDataConfirmAgain };

/** Cancel returns to the member's list. */
const confirmation = (content: string, name: keyof typeof confirmIds, say: Say): MessagePlan => ({
  content,
  controls: [
    buttonPlan(say(`ownData.buttons.${name}`), confirmIds[name].id(), { style: 'danger' }),
    buttonPlan(say('task.buttons.cancel'), customIds.tasks.id({ whose: 'mine' })),
  ],
});

/** Erases the data. If deleting the messages takes longer than an interaction is valid, the member is notified later. */
const eraseConfirmAgainButton = on(customIds.eraseDataConfirmAgain, {
  reply: 'here',
  async run(_nothing, context) {
    requirePrivate(context);
    const { clock, tasks } = context.services;
    context.services.discord.rateLimiter.assertAllowed('export', context.facts);
    const finished = Promise.withResolvers<undefined>();
    let page: MessagePlan | undefined;
    let hasReplied = false;
    await tasks.erasure.begin(context.facts.userId, async (erased) => {
      const outcome = erasurePage(erased, context.say);
      if (hasReplied) return context.notifyLater(outcome);
      page = outcome;
      finished.resolve(undefined);
      return true;
    });
    await withTimeout(clock, INTERIM_AFTER_MS, finished.promise);
    hasReplied = true;
    return page ?? { content: context.say('ownData.deleting'), controls: [] };
  },
});

/** Reports what was erased, with links to the first messages that could not be deleted. */
export function erasurePage({ tasks, messages, running, stays, left }: ErasureOutcome, say: Say): MessagePlan {
  const place = left.some(({ guildId }) => guildId !== undefined) ? 'server' : 'direct';
  const lines = [
    say('ownData.deleted', { tasks: countText(tasks, say), messages: countText(messages, say) }),
    ...(running === 0 ? [] : [say('ownData.running', { count: running })]),
    ...(stays === 0
      ? []
      : [say(`ownData.left.${place}`, { count: stays }), ...left.map((one) => `<${linkToMessage(one)}>`)]),
    ...(stays > left.length && left.length > 0 ? [say('ownData.more', { count: stays - left.length })] : []),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls: [] };
}

/** A forged id could put the button on a message that others see. */
function requirePrivate({ origin }: Context): void {
  if (!origin.route.isPrivate) throw new Refusal('refusals.unknownButton');
}

export const ownDataHandlers = [exportButton, eraseButton, eraseConfirmButton, eraseConfirmAgainButton];
