import { difference } from '../lib/decimals.ts';
import type { Domains } from '../services/operations/engine.ts';
import { habitNames } from '../services/orders/callback-habits.ts';
import { hasEnded, type Task, type TaskFailure } from '../services/tasks/task.ts';
import type { Metrics } from './metrics.ts';

/** Higher than the number of refusal keys in the code. */
const MAX_REASONS = 400;
const KEY = /^[A-Za-z][A-Za-z.-]{0,60}$/;

/**
 * Counts refusals by their reason. Reasons are keys of sentences, but a key may have come from the process that decodes hostile files, or from the
 * store, so an invalid key is not used as a label, and the number of reasons is limited.
 */
export function refusalCounter(metrics: Metrics): (reason: string) => void {
  const knownReasons = new Set<string>();
  return (reason) => {
    if (KEY.test(reason) && knownReasons.size < MAX_REASONS) knownReasons.add(reason);
    metrics.count('refusals', { reason: knownReasons.has(reason) ? reason : 'other' });
  };
}

export function countTasks(metrics: Metrics, { tasks }: Domains, onRefusal: (reason: string) => void): void {
  const { book } = tasks;
  book.onAdd(({ kind, traits }) => {
    if (traits.isPaid) metrics.count('orders', { kind });
  });
  book.onChange((task, previous) => {
    if (!previous) return;
    if (hasEnded(task) && !hasEnded(previous)) {
      metrics.count('ended', { kind: task.kind, state: task.state });
      // A task that waited in line can be refused without an interaction.
      if (task.failure?.cause === 'refused') onRefusal(reasonOf(task.failure));
    }
    if (isSettled(task) && !isSettled(previous)) observeDelivery(metrics, task, tasks.waitLimitOf(task));
  });
  tasks.callbacks.onCallback((outcome) => metrics.count('callbacks', { outcome }));
}

/** Measures the tasks of all bots of this process together. */
export function measureTasks(metrics: Metrics, bots: () => readonly Domains[]): void {
  const each = (count: (bot: Domains) => number) => bots().map((bot) => ({ labels: {}, value: count(bot) }));
  metrics.registerGauge('tasks', () =>
    bots().flatMap(({ tasks }) => tasks.book.live().map(({ kind, state }) => ({ labels: { kind, state }, value: 1 }))),
  );
  metrics.registerGauge('unsaved', () => each(({ tasks }) => tasks.book.unsavedCount));
  metrics.registerGauge('answers', () => each(({ conversations }) => conversations.asks.streamCount));
  metrics.registerGauge('talks', () => each(({ conversations }) => conversations.talks.openCount));
  metrics.registerGauge('lanes', () => {
    const schedulers = bots().map(({ tasks }) => tasks.scheduler);
    const troubles = new Map(schedulers.flatMap((one) => one.troubles()).map(({ lane, kind }) => [lane, kind]));
    const states = ['open', 'busy', 'refused', 'unreachable'] as const;
    return [...new Set(schedulers.flatMap(({ laneNames }) => laneNames))].flatMap((lane) =>
      states.map((state) => ({ labels: { lane, state }, value: (troubles.get(lane) ?? 'open') === state ? 1 : 0 })),
    );
  });
  metrics.registerGauge('failingModels', () => {
    const failing = bots().flatMap(({ tasks }) => tasks.circuits.allFailing);
    // Several bots may have found that the same model is failing.
    const distinct = new Map(failing.map((one) => [`${one.kind} ${one.model}`, one]));
    return [...distinct.values()].map(({ kind }) => ({ labels: { kind }, value: 1 }));
  });
  metrics.registerGauge('callbackHabits', () => {
    const habits = Map.groupBy(
      bots().flatMap(({ tasks }) => tasks.callbacks.habits),
      ({ lane }) => lane,
    );
    return [...habits].flatMap(([lane, laneHabits]) =>
      habitNames.map((name) => ({
        labels: { lane, habit: name },
        value: laneHabits.some(({ habit }) => habit === name) ? 1 : 0,
      })),
    );
  });
}

/** Measures the limits of the whole bot; undefined if another process does. */
export function measureLimits(metrics: Metrics, bot: () => Domains | undefined): void {
  const allowances = () =>
    (bot()?.money.spending.allowances({}) ?? []).map((allowance) => {
      const { unit: of, period = 'at-once', kind = 'all', limit, left } = allowance;
      return { labels: { of, period, kind }, limit, left };
    });
  metrics.registerGauge('budgetLimit', () =>
    allowances().map(({ labels, limit }) => ({ labels, value: Number(limit) })),
  );
  metrics.registerGauge('budgetUsed', () =>
    allowances().map(({ labels, limit, left }) => ({ labels, value: Number(difference(limit, left)) })),
  );
}

/** An error code from the gateway can be any text, so it is not used as a label. */
const reasonOf = ({ refusal }: TaskFailure): string => refusal?.key.replace(/^refusals\./, '') ?? 'gateway.refused';

/** Whether the task's end is shown, or no message will ever show it. */
const isSettled = ({ delivery, times }: Task): boolean => delivery.call !== undefined || times.settled !== undefined;

/** A part of an album has no message, so it is settled as soon as it ends. */
function observeDelivery(metrics: Metrics, { traits, delivery, times, state, review }: Task, group: string): void {
  if (delivery.undeliverable !== undefined) metrics.count('undelivered', { reason: delivery.undeliverable });
  const shownAt = delivery.call?.shownAt ?? times.settled;
  // The time that a moderator takes says nothing about the bot.
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
