import { customIds } from '../../discord/custom-ids.ts';
import { button, type HandlerContext } from '../../discord/handlers.ts';
import { linkToMessage } from '../../discord/markdown.ts';
import type { ButtonPlan, MessagePlan } from '../../discord/plan.ts';
import { withTimeout } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { ErasureOutcome } from '../../services/tasks/own-data/member-erasure.ts';
import type { Services } from '../services.ts';

/** A longer wait gets an interim message. */
const AT_ONCE_MS = 8_000;

/** Everything that is stored about a member, as a private file. */
const exportButton = button(customIds.exportData, {
  reply: 'beside',
  async run(_nothing, ask: HandlerContext<Services>) {
    mustBeAlone(ask);
    const { userId, uploadLimit } = ask.place;
    const { bytes, isCompressed, release, ...counts } = await ask.services.tasks.exports.create(userId, uploadLimit);
    const name = `atelier-${userId}.json${isCompressed ? '.gz' : ''}`;
    const content = ask.say('ownData.exported', { tasks: String(counts.tasks), entries: String(counts.entries) });
    return { plan: { content, files: [{ name, bytes }] }, release };
  },
});

/** The first of two confirmations. */
const forgetButton = button(customIds.eraseData, {
  reply: 'here',
  async run(_nothing, ask: HandlerContext<Services>) {
    mustBeAlone(ask);
    const count = await ask.services.tasks.countTasks(ask.place.userId);
    const id = customIds.eraseDataConfirm.id();
    return question(ask.say('ownData.confirm', { count }), { id, label: ask.say('ownData.buttons.confirm') });
  },
});

/** The second confirmation. */
const forgetSureButton = button(customIds.eraseDataConfirm, {
  reply: 'here',
  async run(_nothing, ask: HandlerContext<Services>) {
    mustBeAlone(ask);
    const id = customIds.eraseDataConfirmAgain.id();
    return question(ask.say('ownData.confirmAgain'), { id, label: ask.say('ownData.buttons.confirmAgain') });
  },
});

const question = (content: string, yes: Pick<ButtonPlan, 'id' | 'label'>): MessagePlan => ({
  content,
  controls: [{ type: 'button', ...yes, look: 'danger' }],
});

/** Deleting thousands of messages can take longer than an interaction is valid: then the outcome is told later. */
const forgetReallyButton = button(customIds.eraseDataConfirmAgain, {
  reply: 'here',
  async run(_nothing, ask: HandlerContext<Services>) {
    mustBeAlone(ask);
    const { clock, tasks } = ask.services;
    const done = Promise.withResolvers<undefined>();
    let page: MessagePlan | undefined;
    let isAnswered = false;
    await tasks.erasure.begin(ask.place.userId, async (forgotten) => {
      const outcome = erasureOutcome(forgotten, ask.say);
      if (isAnswered) return ask.tellLater(outcome);
      page = outcome;
      done.resolve(undefined);
      return true;
    });
    await withTimeout(clock, AT_ONCE_MS, done.promise);
    isAnswered = true;
    return page ?? { content: ask.say('ownData.deleting'), controls: [] };
  },
});

/** Links the first of the messages that could not be deleted. */
export function erasureOutcome({ tasks, messages, running, stays, left }: ErasureOutcome, say: Say): MessagePlan {
  const lines = [
    say('ownData.deleted', { tasks: String(tasks), messages: String(messages) }),
    ...(running === 0 ? [] : [say('ownData.running', { count: running })]),
    ...(stays === 0 ? [] : [say('ownData.left', { count: stays }), ...left.map((one) => `<${linkToMessage(one)}>`)]),
    ...(stays > left.length && left.length > 0 ? [say('ownData.more', { count: stays - left.length })] : []),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls: [] };
}

/** Ids can be forged onto a message that others see. */
function mustBeAlone({ origin }: HandlerContext<Services>): void {
  if (!origin.route.isPrivate) throw new Refusal('refusals.unknownButton');
}

export const ownDataButtons = [exportButton, forgetButton, forgetSureButton, forgetReallyButton];
