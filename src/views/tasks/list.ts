import type { Say } from '../../locales/index.ts';
import type { TaskState } from '../../services/tasks/task.ts';
import type { TaskLine } from '../../services/tasks/task-line.ts';
import { asText } from '../markdown.ts';
import type { ButtonPlan, Control, MessagePlan } from '../plan.ts';

interface TasksList {
  filter: { whose: 'mine' | 'server'; words?: string | undefined };
  lines: readonly TaskLine[];
  /** How many results reached nobody. */
  waiting: number;
  /** Custom ids; undefined where there is nothing to turn to. */
  older: string | undefined;
  newest: string | undefined;
  toWaiting: string | undefined;
  chooseId: string;
  /** On the first page of one's own: everything at once. */
  ownData: { exportId: string; forgetId: string } | undefined;
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
export function tasksList(
  { filter, lines, waiting, older, newest, toWaiting, chooseId, ownData }: TasksList,
  say: Say,
): MessagePlan {
  const title = say(`tasks.title.${filter.whose}`);
  const notes = waiting === 0 ? [] : [say('tasks.waiting', { count: waiting })];
  const rows = lines.map((line) => rowOf(line, filter.whose, say));
  const content = [`**${title}**`, ...notes, ...(rows.length === 0 ? [say('tasks.none')] : rows)].join('\n');
  const button = (name: 'older' | 'newest' | 'toWaiting', id: string | undefined): ButtonPlan[] =>
    id === undefined ? [] : [{ type: 'button', id, label: say(`tasks.buttons.${name}`) }];
  const select: Control[] =
    lines.length === 0
      ? []
      : [
          {
            type: 'select',
            id: chooseId,
            placeholder: say('tasks.choose'),
            options: lines.map((line) => optionOf(line, say)),
          },
        ];
  return {
    content,
    controls: [
      ...button('newest', newest),
      ...button('older', older),
      ...button('toWaiting', toWaiting),
      ...(ownData ? ownDataButtons(ownData, say) : []),
      ...select,
    ],
  };
}

function ownDataButtons({ exportId, forgetId }: { exportId: string; forgetId: string }, say: Say): ButtonPlan[] {
  return [
    { type: 'button', id: exportId, label: say('ownData.buttons.export'), startsRow: true },
    { type: 'button', id: forgetId, label: say('ownData.buttons.forget') },
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
