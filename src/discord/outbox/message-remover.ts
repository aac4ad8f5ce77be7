import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { messageAddress } from '../../services/orders/member-erasure.ts';
import type { MessageRemoval } from '../../services/orders/task-store.ts';
import type { Removal } from '../../services/safety/server-log.ts';
import type { MessageAddress, MessagePlace, Task } from '../../services/tasks/task.ts';
import { findPostedPart } from './adoption.ts';
import { errorFacts, failureKindOf, hasCode } from './errors.ts';
import type { Outbox } from './outbox.ts';
import { isVisibleToOwnerOnly } from './ways.ts';

/** What deletes the messages of tasks and reports. */
export type MessageRemover = ReturnType<typeof messageRemover>;

interface Access {
  outbox: Outbox;
  clock: Clock;
  log: PlainLog;
}

/** Deletes one message at a time. Prefers the interaction's token while it is valid, because it can also delete private messages. */
function singleRemover({ outbox, clock, log }: Access) {
  /** `none`: there was nothing to delete. `stays`: no further attempt would help. */
  async function attempt(by: 'token' | 'edit', work: () => Promise<unknown>): Promise<Removal> {
    try {
      await work();
      return 'gone';
    } catch (error) {
      const failureKind = failureKindOf(error, by);
      // A deleted channel has no messages.
      if (failureKind === 'deleted' || hasCode(error, Code.UnknownChannel)) return 'none';
      log.info({ by, trouble: failureKind, ...errorFacts(error) }, 'Could not delete a message by this route.');
      return failureKind === 'later' ? 'later' : 'stays';
    }
  }

  /** Deletes any message of the bot with its own token. */
  const removeMessage = (message: MessagePlace): Promise<Removal> =>
    attempt('edit', () => outbox.remove({ by: 'edit', message }));

  /** Deletes a message that shows the task. Without `followUpId`, the token deletes the original reply. */
  async function removeTaskMessage(task: Task, message: MessagePlace | undefined, followUpId?: string) {
    const { applicationId, token, tokenExpiresAt } = task.route;
    if (token !== undefined && clock.now() < tokenExpiresAt) {
      const removal = await attempt('token', () => outbox.remove({ by: 'token', applicationId, token, followUpId }));
      if (removal !== 'stays') return removal;
    }
    if (!message) return 'none';
    // Only the task's owner could ever see it, and only they can delete it.
    if (isVisibleToOwnerOnly(task, message)) return 'stays';
    return removeMessage(message);
  }

  /** Deletes a part of an answer whose posting was never confirmed, if it exists. */
  async function removeUnconfirmedPart(task: Task): Promise<Removal> {
    const posting = task.answer?.posting;
    if (posting?.by !== 'bot') return 'none';
    let foundPart: MessagePlace | undefined;
    const search = await attempt('edit', async () => {
      foundPart = await findPostedPart(task, posting, outbox);
    });
    if (search === 'later') return 'later';
    return foundPart ? removeMessage(foundPart) : 'none';
  }

  return { removeMessage, removeTaskMessage, removeUnconfirmedPart };
}

export function messageRemover(access: Access) {
  const { removeMessage, removeTaskMessage, removeUnconfirmedPart } = singleRemover(access);

  /** Deletes the further messages of an answer. */
  async function removeParts(task: Task): Promise<{ address: MessageAddress | undefined; removal: Removal }[]> {
    const removals = [];
    for (const part of task.answer?.parts ?? []) {
      const removal = part.by === 'bot' ? await removeMessage(part) : await removeTaskMessage(task, part, part.id);
      removals.push({ address: messageAddress({ ...task, message: part }), removal });
    }
    return [...removals, { address: undefined, removal: await removeUnconfirmedPart(task) }];
  }

  return {
    removeMessage,

    async removeMessages(task: Task): Promise<MessageRemoval> {
      const removal = await removeTaskMessage(task, task.message, task.route.followUpId);
      const removals = [{ address: messageAddress(task), removal }, ...(await removeParts(task))];
      for (const address of task.beside ?? []) removals.push({ address, removal: await removeMessage(address) });
      return {
        removed: removals.filter(({ removal }) => removal === 'gone').length,
        left: removals.flatMap(({ removal, address }) => (removal === 'stays' && address ? [address] : [])),
        needsRetry: removals.some(({ removal }) => removal === 'later'),
      };
    },

    /** Deletes the further messages of an answer, and its voice messages; the caller deletes the first one. */
    async removeFurtherMessages(task: Task): Promise<void> {
      await removeParts(task);
      if (!task.traits.isUtterance) return;
      // Messages in other channels are deleted together with their own tasks.
      const voiceMessages = task.beside?.filter(({ channelId }) => channelId === task.message?.channelId) ?? [];
      for (const message of voiceMessages) await removeMessage(message);
    },
  };
}
