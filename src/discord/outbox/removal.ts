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

type Delete = (by: 'token' | 'edit', work: () => Promise<unknown>) => Promise<Removal>;

/** `none`: there was nothing to delete. `stays`: no further attempt would help. */
const deleter =
  (log: PlainLog): Delete =>
  async (by, work) => {
    try {
      await work();
      return 'gone';
    } catch (error) {
      const trouble = failureKindOf(error, by);
      // A deleted channel has no messages.
      if (trouble === 'deleted' || hasCode(error, Code.UnknownChannel)) return 'none';
      log.info({ by, trouble, ...errorFacts(error) }, 'Could not delete a message this way.');
      return trouble === 'later' ? 'later' : 'stays';
    }
  };

/** Deletes any message of the bot with its own token. */
export function ownMessageRemover({ outbox, log }: { outbox: Pick<Outbox, 'remove'>; log: PlainLog }) {
  const attempt = deleter(log);
  return (message: MessagePlace): Promise<Removal> => attempt('edit', () => outbox.remove({ by: 'edit', message }));
}

/** Prefers the interaction's token while it works, for that reaches private messages too. */
export function messageRemover({ outbox, clock, log }: { outbox: Outbox; clock: Clock; log: PlainLog }) {
  const attempt = deleter(log);
  const asBot = ownMessageRemover({ outbox, log });

  /** A message that shows the task; without an id the token deletes the reply. */
  async function own(task: Task, message: MessagePlace | undefined, followUpId?: string): Promise<Removal> {
    const { applicationId, token, tokenExpiresAt } = task.route;
    if (token !== undefined && clock.now() < tokenExpiresAt) {
      const fate = await attempt('token', () => outbox.remove({ by: 'token', applicationId, token, followUpId }));
      if (fate !== 'stays') return fate;
    }
    if (!message) return 'none';
    // Only its member has ever seen it, and only they can delete it.
    if (isVisibleToOwnerOnly(task, message)) return 'stays';
    return asBot(message);
  }

  /** A part of an answer that may exist unconfirmed. */
  async function unconfirmedPart(task: Task): Promise<Removal> {
    const posting = task.answer?.posting;
    if (posting?.by !== 'bot') return 'none';
    let found: MessagePlace | undefined;
    const search = await attempt('edit', async () => {
      found = await findPostedPart(task, posting, outbox);
    });
    if (search === 'later') return 'later';
    return found ? asBot(found) : 'none';
  }

  return async (task: Task): Promise<MessageRemoval> => {
    const fates = [{ address: messageAddress(task), fate: await own(task, task.message, task.route.followUpId) }];
    for (const part of task.answer?.parts ?? []) {
      const fate = part.by === 'bot' ? await asBot(part) : await own(task, part, part.id);
      fates.push({ address: messageAddress({ ...task, message: part }), fate });
    }
    fates.push({ address: undefined, fate: await unconfirmedPart(task) });
    for (const address of task.beside ?? []) fates.push({ address, fate: await asBot(address) });
    return {
      removed: fates.filter(({ fate }) => fate === 'gone').length,
      left: fates.flatMap(({ fate, address }) => (fate === 'stays' && address ? [address] : [])),
      needsRetry: fates.some(({ fate }) => fate === 'later'),
    };
  };
}
