import { RESTJSONErrorCodes as Code } from 'discord.js';
import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Removal } from '../../services/server-log/server-log.ts';
import { type MessageRemoval, messageAddress } from '../../services/tasks/own-data/member-erasure.ts';
import type { MessagePlace, Task } from '../../services/tasks/task.ts';
import { findPostedPart } from './adoption.ts';
import { errorFacts, failureKindOf, hasCode } from './errors.ts';
import type { Outbox } from './outbox.ts';
import { isVisibleToOwnerOnly } from './ways.ts';

type AttemptDelete = (by: 'token' | 'edit', work: () => Promise<unknown>) => Promise<Removal>;

/** `none`: there was nothing to delete. `stays`: no further attempt would help. */
const createDelete =
  (log: PlainLog): AttemptDelete =>
  async (by, work) => {
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
  };

/** Deletes any message of the bot with its own token. */
export function ownMessageRemover({ outbox, log }: { outbox: Pick<Outbox, 'remove'>; log: PlainLog }) {
  const attempt = createDelete(log);
  return (message: MessagePlace): Promise<Removal> => attempt('edit', () => outbox.remove({ by: 'edit', message }));
}

/** Prefers the interaction's token while it is valid, because it can also delete private messages. */
export function messageRemover({ outbox, clock, log }: { outbox: Outbox; clock: Clock; log: PlainLog }) {
  const attempt = createDelete(log);
  const removeAsBot = ownMessageRemover({ outbox, log });

  /** Deletes a message that shows the task. Without `followUpId`, the token deletes the original reply. */
  async function removeTaskMessage(
    task: Task,
    message: MessagePlace | undefined,
    followUpId?: string,
  ): Promise<Removal> {
    const { applicationId, token, tokenExpiresAt } = task.route;
    if (token !== undefined && clock.now() < tokenExpiresAt) {
      const removal = await attempt('token', () => outbox.remove({ by: 'token', applicationId, token, followUpId }));
      if (removal !== 'stays') return removal;
    }
    if (!message) return 'none';
    // Only the task's owner could ever see it, and only they can delete it.
    if (isVisibleToOwnerOnly(task, message)) return 'stays';
    return removeAsBot(message);
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
    return foundPart ? removeAsBot(foundPart) : 'none';
  }

  return async (task: Task): Promise<MessageRemoval> => {
    const removals = [
      { address: messageAddress(task), removal: await removeTaskMessage(task, task.message, task.route.followUpId) },
    ];
    for (const part of task.answer?.parts ?? []) {
      const removal = part.by === 'bot' ? await removeAsBot(part) : await removeTaskMessage(task, part, part.id);
      removals.push({ address: messageAddress({ ...task, message: part }), removal });
    }
    removals.push({ address: undefined, removal: await removeUnconfirmedPart(task) });
    for (const address of task.beside ?? []) removals.push({ address, removal: await removeAsBot(address) });
    return {
      removed: removals.filter(({ removal }) => removal === 'gone').length,
      left: removals.flatMap(({ removal, address }) => (removal === 'stays' && address ? [address] : [])),
      needsRetry: removals.some(({ removal }) => removal === 'later'),
    };
  };
}
