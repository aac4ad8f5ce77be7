import { newReference } from '../discord/delivery/backoff.ts';
import { refuseUnserved } from '../discord/guards.ts';
import type { HandlerResult } from '../discord/handlers.ts';
import type { Origin } from '../discord/interaction-facts.ts';
import { interruptedMessageHandler } from '../discord/outbox/interrupted.ts';
import { type ThreadMessage, threadMessageIn } from '../discord/thread-message.ts';
import { runForInteraction } from '../lib/log-subject.ts';
import { RecentMap } from '../lib/recent-map.ts';
import { hasVisibleText } from '../lib/text.ts';
import type { Task } from '../services/tasks/task.ts';
import type { Services } from './feature.ts';

/** Returns a function that processes a thread message, or undefined if the message is not for this feature. */
export type ThreadMessageReader = (message: ThreadMessage) => Promise<(() => Promise<void>) | undefined>;

/** More messages than members can send within a short time. */
const MAX_PROCESSED_IDS = 1_000;

/** Reads messages in threads where members continue a conversation by posting messages. A message goes to the first reader that accepts it. */
export function readThreadMessages(readers: readonly ThreadMessageReader[], services: Services) {
  const { settings, tasks, say, log } = services;
  const { clients, rateLimiter, outbox } = services.discord;
  const servedGuildGuard = refuseUnserved(settings.discord);
  const wasInterrupted = interruptedMessageHandler(
    { outbox, book: tasks.book, say, log },
    () => clients.identity.applicationId ?? '',
  );
  // Discord may deliver a message again after a lost connection.
  const processedIds = new RecentMap<string, true>(MAX_PROCESSED_IDS);
  const dispatch = async (message: ThreadMessage, isRepeated: boolean): Promise<void> => {
    try {
      if (servedGuildGuard({ guildId: message.guildId, install: 'guild' })) return;
      for (const read of readers) {
        const processMessage = await read(message);
        if (!processMessage) continue;
        // A thread has no private replies, so messages from a member who floods it are ignored.
        const sender = { userId: message.memberId, guildId: message.guildId };
        if (processedIds.has(message.id)) return;
        processedIds.set(message.id, true);
        if (rateLimiter.refuseInteraction(sender)) return;
        if (!isRepeated || !(await wasInterrupted(message))) await processMessage();
        return;
      }
    } catch (error) {
      log.warn({ err: error }, 'A message in a thread could not be processed.');
    }
  };
  /** Never throws. `isRepeated`: another process may have begun to answer the message before it ended. */
  return async (packet: unknown, { isRepeated = false } = {}): Promise<void> => {
    const message = threadMessageIn(packet);
    if (!message || (!hasVisibleText(message.content) && message.files.length === 0)) return;
    await runForInteraction(newReference(), () => dispatch(message, isRepeated));
  };
}

/** Replies to a thread message that continues a task. The reply shows the submitted task, or why nothing was submitted. */
export async function replyWithTask(
  { id, channelId, guildId, memberId, roleIds }: ThreadMessage,
  continuedTask: Task,
  { messages: { answers }, clock, discord: { funnel }, say }: Services,
  submit: (origin: Origin) => Promise<HandlerResult>,
): Promise<void> {
  const message = await answers.replyTo({ channelId, id }, { content: say('task.submitting') });
  if (!message) return;
  const { applicationId, uploadLimit, locale, maySpeak } = continuedTask.route;
  // A message does not contain the parent channel of its thread.
  const parentChannelId =
    continuedTask.channelId === channelId ? continuedTask.parentChannelId : continuedTask.channelId;
  try {
    const outcome = await submit({
      requesterId: memberId,
      guildId,
      channelId,
      parentChannelId,
      message,
      roleIds,
      // A message has no interaction token, so the bot itself shows the result.
      route: {
        applicationId,
        uploadLimit,
        locale,
        isPrivate: false,
        install: 'guild',
        mayPost: true,
        maySpeak,
        tokenExpiresAt: clock.now(),
      },
    });
    // The outcome asks the member who sent the message for a confirmation.
    if (typeof outcome === 'object' && 'content' in outcome) await answers.editReply(message, outcome);
  } catch (error) {
    await answers.editReply(message, { content: funnel.messageFor(error, 'a message in a thread') });
  }
}
