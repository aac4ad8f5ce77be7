import type { Ask } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Admit } from '../../services/tasks/albums.ts';
import { mayGoOn } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';
import { maySeeAccount } from '../audience.ts';
import type { Services } from '../services.ts';
import { named } from './ids.ts';

/**
 * Who may follow what. An id that no task here goes by belongs to the account, so it is for those who may see the account. What is known here is
 * for everybody who may see it, and of a private task that is its member alone, whoever else asks.
 */
export async function admission(ask: Ask<Services>): Promise<Admit> {
  const mayFollowAll = await maySeeAccount(ask);
  const { userId } = ask.place;
  return (found) => {
    const entries = [...found];
    const ids = (isMeant: (task: Task | undefined) => boolean): string[] =>
      entries.filter(([, task]) => isMeant(task)).map(([id]) => id);
    const foreign = ids((task) => task !== undefined && !mayGoOn(task, userId));
    // Whether somebody else works on it privately is not told to whoever only guesses ids.
    if (!mayFollowAll) refuse('refusals.idsNotYours', [...ids((task) => task === undefined), ...foreign]);
    refuse('refusals.idsOfOthers', foreign);
    if (!ask.origin.route.isPrivate)
      refuse(
        'refusals.idsPrivate',
        ids((task) => task?.route.isPrivate === true),
      );
  };
}

function refuse(key: string, ids: readonly string[]): void {
  if (ids.length > 0) throw new Refusal(key, { ids: named(ids) });
}
