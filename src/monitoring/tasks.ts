import { habitNames } from '../services/callbacks/habits.ts';
import type { Engine } from '../services/engine.ts';
import { type Failure, hasEnded, type Task } from '../services/tasks/task.ts';
import type { Metrics } from './metrics.ts';

type TaskParts = Pick<Engine, 'tasks' | 'circuits' | 'asks' | 'talks' | 'spending' | 'callbacks'>;

export function measureTasks(
  metrics: Metrics,
  { tasks, circuits, asks, talks, spending, callbacks }: TaskParts,
  onRefusal: (reason: string) => void,
): void {
  const { book, scheduler } = tasks;
  metrics.read('tasks', () => countBy(book.live(), ({ kind, state }) => ({ kind, state })));
  metrics.read('unsaved', () => [{ labels: {}, value: book.unsavedCount }]);
  metrics.read('answers', () => [{ labels: {}, value: asks.streamCount }]);
  metrics.read('talks', () => [{ labels: {}, value: talks.openCount }]);
  book.onAdd(({ kind, traits }) => {
    if (traits.isPaid) metrics.count('orders', { kind });
  });
  book.onChange((task, before) => {
    if (!before) return;
    if (hasEnded(task) && !hasEnded(before)) {
      metrics.count('ended', { kind: task.kind, state: task.state });
      // A task that has waited is refused without an interaction.
      if (task.failure?.cause === 'refused') onRefusal(reasonOf(task.failure));
    }
    if (isSettled(task) && !isSettled(before)) observeDelivery(metrics, task, tasks.waitLimitOf(task));
  });
  scheduler.onPoll((lane, outcome) => metrics.count('polls', { lane, outcome }));
  metrics.read('lanes', () => {
    const troubles = new Map(scheduler.troubles().map(({ lane, kind }) => [lane, kind]));
    const states = ['open', 'busy', 'refused', 'unreachable'] as const;
    return scheduler.laneNames.flatMap((lane) =>
      states.map((state) => ({ labels: { lane, state }, value: (troubles.get(lane) ?? 'open') === state ? 1 : 0 })),
    );
  });
  metrics.read('failingModels', () => countBy(circuits.allFailing, ({ kind }) => ({ kind })));
  callbacks?.onCallback((outcome) => metrics.count('callbacks', { outcome }));
  metrics.read('callbackHabits', () =>
    (callbacks?.habits ?? []).flatMap(({ lane, habit: known }) =>
      habitNames.map((habit) => ({ labels: { lane, habit }, value: habit === known ? 1 : 0 })),
    ),
  );
  const allowances = () =>
    spending.allowances({}).map(({ of, period = 'at-once', kind = 'all', limit, left }) => ({
      labels: { of, period, kind },
      limit: Number(limit),
      left: Number(left),
    }));
  metrics.read('budgetLimit', () => allowances().map(({ labels, limit }) => ({ labels, value: limit })));
  metrics.read('budgetUsed', () => allowances().map(({ labels, limit, left }) => ({ labels, value: limit - left })));
}

/** The gateway's own code may be any text. */
const reasonOf = ({ refusal }: Failure): string => refusal?.key.replace(/^refusals\./, '') ?? 'gateway.refused';

/** The task's end is shown, or no message will show it. */
const isSettled = ({ delivery, times }: Task): boolean => delivery.call !== undefined || times.settled !== undefined;

/** A part of an album has no message, so it is settled the moment it ends. */
function observeDelivery(metrics: Metrics, { traits, delivery, times, state, review }: Task, group: string): void {
  if (delivery.undeliverable !== undefined) metrics.count('undelivered', { reason: delivery.undeliverable });
  const shownAt = delivery.call?.shownAt ?? times.settled;
  // A moderator takes as long as moderators take.
  const wasHeld = review?.channelId !== undefined;
  if (
    traits.isPart ||
    wasHeld ||
    delivery.undeliverable !== undefined ||
    shownAt === undefined ||
    times.ended === undefined
  )
    return;
  metrics.observe('delivery', { group }, (shownAt - times.ended) / 1000);
  const hasResult = state === 'ready' || state === 'delivered';
  if (hasResult && times.remoteFinished !== undefined)
    metrics.observe('wholeDelivery', { group }, (shownAt - times.remoteFinished) / 1000);
}

function countBy<Item, Labels extends Readonly<Record<string, string>>>(
  items: readonly Item[],
  labelsOf: (item: Item) => Labels,
): { labels: Labels; value: number }[] {
  const counts = new Map<string, { labels: Labels; value: number }>();
  for (const item of items) {
    const labels = labelsOf(item);
    const key = Object.values(labels).join('\n');
    counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
  }
  return [...counts.values()];
}
