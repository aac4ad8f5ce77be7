import { newReference } from '../discord/delivery/backoff.ts';
import { refuseUnserved } from '../discord/guards.ts';
import {
  type MemberMessage,
  type MessageDispatch,
  memberMessageIn,
  messageEventIn,
} from '../discord/member-message.ts';
import { interruptedMessageHandler } from '../discord/outbox/interrupted.ts';
import { runForInteraction } from '../lib/log-subject.ts';
import { RecentMap } from '../lib/recent-map.ts';
import { hasVisibleText } from '../lib/text.ts';
import type { Mentions } from './ask/mentions.ts';
import type { Services } from './feature.ts';
import type { MessageReader } from './reply-with-task.ts';

/** More messages than members can send within a short time. */
const MAX_PROCESSED_IDS = 1_000;

/** Reads messages to the bot, and those in threads where members continue a conversation. A message goes to the first reader that accepts it. */
export function readMemberMessages(readers: readonly MessageReader[], mentions: Mentions, services: Services) {
  const { settings, tasks, log } = services;
  const { clients, rateLimiter, outbox } = services.discord;
  const { identity } = clients;
  const servedGuildGuard = refuseUnserved(settings.discord);
  const wasInterrupted = interruptedMessageHandler(
    { outbox, book: tasks.book, log },
    () => identity.applicationId ?? '',
    (say) => [say('task.submitting'), say('ask.mention.waiting')],
  );
  // Discord may deliver a message again after a lost connection.
  const processedIds = new RecentMap<string, true>(MAX_PROCESSED_IDS);
  const dispatch = async (message: MemberMessage, isRepeated: boolean): Promise<void> => {
    if (servedGuildGuard({ guildId: message.guildId, install: 'guild' })) return;
    for (const read of readers) {
      const processMessage = await read(message);
      if (!processMessage) continue;
      // Messages have no private replies, so those from a member who floods the bot are ignored.
      const sender = { userId: message.memberId, guildId: message.guildId };
      if (processedIds.has(message.id)) return;
      processedIds.set(message.id, true);
      if (rateLimiter.refuseInteraction(sender)) return;
      if (!isRepeated || !(await wasInterrupted(message))) await processMessage();
      return;
    }
  };
  /** Undefined for what does not concern the bot, of which nothing is kept. Every message of every server passes here, so it begins with the cheapest test. */
  const workFor = (packet: MessageDispatch, isRepeated: boolean): (() => Promise<void>) | undefined => {
    const found = messageEventIn(packet, identity.userId);
    switch (found?.event) {
      case 'written': {
        if (!found.isForBot && !settings.discord.messageContent) return undefined;
        const message = memberMessageIn(packet, identity.userId);
        const isEmpty = !hasVisibleText(message?.content ?? '') && message?.files.length === 0;
        return message && (!isEmpty || message.isForBot) ? () => dispatch(message, isRepeated) : undefined;
      }
      case 'edited': {
        const message = mentions.concernsEdit(found.id, found.isForBot)
          ? memberMessageIn(packet, identity.userId)
          : undefined;
        return message && (() => mentions.edit(message));
      }
      case 'deleted': {
        const ids = found.ids.filter((id) => mentions.concernsDeletion(id));
        return ids.length === 0 ? undefined : () => mentions.remove(ids);
      }
      default:
        return undefined;
    }
  };
  /** Never throws. `isRepeated`: another process may have begun to answer the message before it ended. */
  return async (packet: MessageDispatch, { isRepeated = false } = {}): Promise<void> => {
    const work = workFor(packet, isRepeated);
    if (!work) return;
    await runForInteraction(newReference(), work).catch((error: unknown) =>
      log.warn({ err: error }, 'A message could not be processed.'),
    );
  };
}
