import type { Ask } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Filter, statesOf } from '../../services/tasks/filter.ts';
import type { TaskLine } from '../../services/tasks/task-line.ts';
import type { PageQuestion } from '../../services/tasks/task-store.ts';
import type { Services } from '../services.ts';
import { maySeeServer } from './audience.ts';
import { tasksList } from './list-view.ts';

/** As many as are read at a glance on a phone. */
const PAGE = 10;
/** So many waiting results are counted; more are "many". */
const MOST_WAITING = 25;

/** A page of tasks. Who may see whose is decided each time, from the interaction. */
export async function taskList(filter: Filter, ask: Ask<Services>): Promise<MessagePlan> {
  const { services, say } = ask;
  const { kind, standing, words, before } = filter;
  const page = await services.tasks.page({
    ...(await audience(filter, ask)),
    // Hundreds of songs that are followed together would hide everything else.
    ...{ most: PAGE, kind, words, before, withoutParts: kind === undefined },
    ...(standing && { states: statesOf[standing] }),
  });
  const lines = standing === 'waiting' ? page.lines.filter(isWaiting) : page.lines;
  const waiting = filter.whose === 'mine' && standing !== 'waiting' ? await waitingFor(ask) : 0;
  return tasksList({ filter, lines, waiting, next: page.next }, say);
}

async function audience({ whose }: Filter, ask: Ask<Services>): Promise<Pick<PageQuestion, 'of' | 'withoutPrivate'>> {
  const { userId, guildId } = ask.place;
  if (whose === 'mine') return { of: { memberId: userId } };
  if (guildId === undefined) throw new Refusal('refusals.tasksNoServer');
  if (!(await maySeeServer(ask))) throw new Refusal('refusals.tasksNotYours');
  return { of: { guildId }, withoutPrivate: true };
}

/** Results that are there and reached nobody. */
async function waitingFor({ services, place }: Ask<Services>): Promise<number> {
  const { lines } = await services.tasks.page({
    ...{ of: { memberId: place.userId }, most: MOST_WAITING, states: statesOf.waiting },
  });
  return lines.filter(isWaiting).length;
}

const isWaiting = ({ settledAt }: TaskLine): boolean => settledAt !== undefined;
