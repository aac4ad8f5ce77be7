import { Refusal } from '../../lib/refusal.ts';
import type { CheckAdmission } from '../../services/orders/albums.ts';
import type { Task } from '../../services/tasks/task.ts';
import { mayContinue } from '../../services/tasks/task-facts.ts';
import { maySeeAccount } from '../account-access.ts';
import { type Context, command } from '../feature.ts';
import { MAX_OPTION_LENGTH, promptOption } from '../options.ts';
import { readIds, shortenList } from './ids.ts';

/** With this limit, an album takes at most three polls, and its message has at most twenty pages. */
const MAX_IDS = 300;

/** Reads each option separately, because each may be JSON. */
function idsIn(inputs: readonly string[]): string[] | Refusal {
  const parsed = inputs.map(readIds);
  const ids = [...new Set(parsed.flatMap((one) => one.ids))];
  const invalid = parsed.flatMap((one) => one.invalid);
  if (invalid.length > 0)
    return new Refusal('refusals.idsInvalid', { invalidIds: shortenList(invalid), count: invalid.length });
  if (ids.length === 0) return new Refusal('refusals.noIds');
  if (ids.length <= MAX_IDS) return ids;
  return new Refusal('refusals.tooManyIds', { max: String(MAX_IDS), count: String(ids.length) });
}

/** Follows many of the gateway's songs in one message, and polls them together. */
export const follow = command({
  name: 'follow',
  isPrivate: 'chosen',
  options: {
    // Fits about 160 ids of the usual length.
    ids: promptOption,
    more: { type: 'text', max: MAX_OPTION_LENGTH },
  },
  parse: ({ ids, more = '' }) => idsIn([ids, more]),
  async run(ids, context) {
    await context.services.tasks.albums.create(context.origin, ids, await createFollowCheck(context));
    return 'shown by delivery';
  },
});

/**
 * Returns a check of who can follow which ids. An unknown id belongs to the account, so only those who can see the account can follow it. A
 * known task can be followed by everyone who can see it; a private one only by its owner.
 */
async function createFollowCheck(context: Context): Promise<CheckAdmission> {
  const mayFollowAll = await maySeeAccount(context);
  const { facts } = context;
  // What was made in direct messages was not shown to other members.
  const mayFollow = (task: Task): boolean =>
    task.requesterId === facts.userId || (task.guildId !== undefined && mayContinue(task, facts));
  return (tasksById) => {
    const idsWhere = (matches: (task: Task | undefined) => boolean): string[] =>
      [...tasksById].filter(([, task]) => matches(task)).map(([id]) => id);
    const inaccessibleIds = idsWhere((task) => task !== undefined && !mayFollow(task));
    // A member who only guesses ids must not learn which of them belong to private tasks.
    if (!mayFollowAll)
      refuse('refusals.idsNotFollowable', [...idsWhere((task) => task === undefined), ...inaccessibleIds]);
    refuse('refusals.idsPrivateOfOthers', inaccessibleIds);
    const privateIds = idsWhere((task) => task?.route.isPrivate === true);
    if (!context.origin.route.isPrivate) refuse('refusals.idsNeedPrivateReply', privateIds);
  };
}

type FollowRefusal = 'refusals.idsNotFollowable' | 'refusals.idsPrivateOfOthers' | 'refusals.idsNeedPrivateReply';

function refuse(key: FollowRefusal, ids: readonly string[]): void {
  if (ids.length > 0) throw new Refusal(key, { ids: shortenList(ids) });
}
