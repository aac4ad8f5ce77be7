import type { HandlerResult } from '../discord/handlers.ts';
import type { Origin } from '../discord/interaction-facts.ts';
import type { MemberMessage } from '../discord/member-message.ts';
import { sayIn } from '../locales/index.ts';
import type { Task } from '../services/tasks/task.ts';
import type { Services } from './feature.ts';

/** Returns a function that processes a message, or undefined if the message is not for this feature. */
export type MessageReader = (message: MemberMessage) => Promise<(() => Promise<void>) | undefined>;

/** Replies to a thread message that continues a task. The reply shows the submitted task, or why nothing was submitted. */
export async function replyWithTask(
  message: MemberMessage,
  continuedTask: Task,
  { messages: { answers }, clock, discord: { funnel, readers } }: Services,
  submit: (origin: Origin) => Promise<HandlerResult>,
): Promise<void> {
  const { channelId } = message;
  // The conversation stays in its language.
  const { language } = continuedTask;
  const say = sayIn(language);
  const reply = await answers.replyTo(message, { content: say('task.submitting') });
  if (!reply) return;
  // A message does not contain the parent channel of its thread.
  const parentChannelId =
    continuedTask.channelId === channelId ? continuedTask.parentChannelId : continuedTask.channelId;
  const { applicationId, uploadLimit, maySpeak, isInPrivateThread } = continuedTask.route;
  try {
    const locale = (await readers.lastOf(message.memberId)) ?? continuedTask.route.locale;
    const route = { applicationId, uploadLimit, locale, maySpeak, isInPrivateThread, tokenExpiresAt: clock.now() };
    const outcome = await submit(originOfMessage(message, reply, { parentChannelId, language, route }));
    // The outcome asks the member who sent the message for a confirmation.
    if (typeof outcome === 'object' && 'content' in outcome) await answers.editReply(reply, outcome);
  } catch (error) {
    await answers.editReply(reply, { content: funnel.messageFor(error, 'a message in a thread', say) });
  }
}

interface PlaceOfMessage extends Pick<Origin, 'parentChannelId' | 'isAgeRestricted' | 'language'> {
  route: Omit<Origin['route'], 'isPrivate' | 'install' | 'mayPost'>;
}

/** A message has no interaction token, so the bot itself shows the result in its reply. */
export const originOfMessage = (
  { channelId, guildId, memberId, roleIds }: MemberMessage,
  reply: Origin['message'],
  { route, ...place }: PlaceOfMessage,
): Origin => ({
  requesterId: memberId,
  guildId,
  channelId,
  ...place,
  message: reply,
  roleIds,
  route: { ...route, isPrivate: false, install: 'guild', mayPost: true },
});
