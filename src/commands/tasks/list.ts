import { customIds } from '../../discord/custom-ids.ts';
import type { Ask } from '../../discord/handlers.ts';
import { asText } from '../../discord/markdown.ts';
import type { ButtonPlan, Control, MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { TaskState } from '../../services/tasks/task.ts';
import type { TaskLine } from '../../services/tasks/task-line.ts';
import { type Filter, statesOf } from '../../services/tasks/task-line.ts';
import type { PageQuestion } from '../../services/tasks/task-store.ts';
import type { Services } from '../services.ts';
import { maySeeServer } from './audience.ts';

/** As many as are read at a glance on a phone. */
const PAGE = 10;
/** So many waiting results are counted; more are "many". */
const MOST_WAITING = 25;

/** A page of tasks. Who may see whose is decided each time, from the interaction. */
export async function taskList(filter: Filter, ask: Ask<Services>): Promise<MessagePlan> {
  const { services, say } = ask;
  const { kind, standing, words, before } = filter;
  const page = await services.tasks.lists.page({
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
  const { lines } = await services.tasks.lists.page({
    ...{ of: { memberId: place.userId }, most: MOST_WAITING, states: statesOf.waiting },
  });
  return lines.filter(isWaiting).length;
}

const isWaiting = ({ settledAt }: TaskLine): boolean => settledAt !== undefined;

interface TasksList {
  filter: Filter;
  lines: readonly TaskLine[];
  /** How many results reached nobody. */
  waiting: number;
  /** The task before which the next page begins; undefined on the last one. */
  next: string | undefined;
}

/** So much of what was asked is enough to recognise it by. */
const LONGEST_SUMMARY = 60;

export const signs: Readonly<Record<TaskState, string>> = {
  submitting: '🟡',
  accepted: '🟡',
  queued: '🟡',
  running: '🟡',
  'needs-input': '✏️',
  ready: '📬',
  delivered: '🟢',
  failed: '🔴',
  expired: '🔴',
  cancelled: '⚪',
  unconfirmed: '❓',
};

/** Tasks, a line each, newest first. */
export function tasksList({ filter, lines, waiting, next }: TasksList, say: Say): MessagePlan {
  const title = say(`tasks.title.${filter.whose}`);
  const notes = waiting === 0 ? [] : [say('tasks.waiting', { count: waiting })];
  const rows = lines.map((line) => rowOf(line, filter.whose, say));
  const content = [`**${title}**`, ...notes, ...(rows.length === 0 ? [say('tasks.none')] : rows)].join('\n');
  const button = (name: 'older' | 'newest' | 'toWaiting', shown: Filter): ButtonPlan => {
    return { type: 'button', id: customIds.tasks.id(shown), label: say(`tasks.buttons.${name}`) };
  };
  const isFirst = filter.before === undefined;
  const select: Control[] =
    lines.length === 0
      ? []
      : [
          {
            type: 'select',
            id: customIds.task.id(filter),
            placeholder: say('tasks.choose'),
            options: lines.map((line) => optionOf(line, say)),
          },
        ];
  return {
    content,
    controls: [
      ...(isFirst ? [] : [button('newest', { ...filter, before: undefined })]),
      ...(next === undefined ? [] : [button('older', { ...filter, before: next })]),
      ...(waiting === 0 ? [] : [button('toWaiting', { whose: 'mine', standing: 'waiting' })]),
      ...(isFirst && filter.whose === 'mine' ? ownDataButtons(say) : []),
      ...select,
    ],
  };
}

/** Everything at once. */
function ownDataButtons(say: Say): ButtonPlan[] {
  return [
    { type: 'button', id: customIds.exportData.id(), label: say('ownData.buttons.export'), startsRow: true },
    { type: 'button', id: customIds.eraseData.id(), label: say('ownData.buttons.delete') },
  ];
}

function rowOf(
  { state, kind, summary, createdAt, requesterId, isPrivate }: TaskLine,
  whose: 'mine' | 'server',
  say: Say,
): string {
  const words = summary === '' ? '' : ` · ${asText(summary, LONGEST_SUMMARY)}`;
  const who = whose === 'server' ? ` · <@${requesterId}>` : '';
  const alone = isPrivate ? ' 🔒' : '';
  return `${signs[state]} ${say(`tasks.kinds.${kind}`)}${words}${who}${alone} · <t:${Math.floor(createdAt / 1000)}:R>`;
}

/** Discord takes no label in which nothing is to be seen. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

function optionOf({ id, kind, state, summary }: TaskLine, say: Say) {
  const label = VISIBLE.test(summary) ? summary : say(`tasks.kinds.${kind}`);
  return { value: id, label, description: `${say(`tasks.kinds.${kind}`)} · ${say(`tasks.states.${state}`)}` };
}
