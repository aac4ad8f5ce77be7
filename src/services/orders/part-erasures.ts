import type { Clock } from '../../lib/clock.ts';
import type { ErasureMessage, ErasureReport, OtherPartitions } from './other-partitions.ts';
import type { AskedPartition, ErasureMark, ErasureOutcome } from './task-store.ts';

/** How many addresses of undeletable messages are stored. Further messages are only counted. */
export const MAX_UNDELETABLE = 100;
/** An erasure is requested again until it is done, because only its result shows that the request has arrived. */
const REQUEST_INTERVAL_MS = 30_000;

/** Sends the messages of one erasure to other partitions: requests if the member asked here, and reports if other partitions requested it. */
export function createPartErasures(others: OtherPartitions | undefined, clock: Clock) {
  let requestedAt = Number.NEGATIVE_INFINITY;
  /** The number of undeletable messages in the last report. */
  let reportedCount: number | undefined;

  async function send(mark: ErasureMark, running: number, isDone: boolean): Promise<void> {
    if (!others) return;
    const { memberId, until, tasks, messages, stays, left, askedBy = [] } = mark;
    const outcome = { tasks, messages, stays, left, running };
    const message: ErasureMessage = { do: 'erased', from: others.ownNumber, memberId, until, isDone, outcome };
    for (const partition of askedBy) await others.send(partition, message);
  }

  return {
    /** Called if the member asks in this partition. */
    begin(mark: ErasureMark): ErasureMark {
      requestedAt = Number.NEGATIVE_INFINITY;
      const { numbers } = others ?? {};
      return numbers ? { ...mark, asked: numbers.map((partition) => toAskedPartition(partition, mark)) } : mark;
    },

    /** Called if another partition requests the erasure. */
    join(mark: ErasureMark, from: number): ErasureMark {
      reportedCount = undefined;
      return { ...mark, askedBy: [...new Set([...(mark.askedBy ?? []), from])] };
    },

    async requestErasures({ memberId, until, asked = [] }: ErasureMark): Promise<void> {
      const now = clock.now();
      if (!others || now - requestedAt < REQUEST_INTERVAL_MS) return;
      const { ownNumber: from } = others;
      for (const { partition, state } of asked)
        if (state !== 'done') await others.send(partition, { do: 'erase', from, memberId, until });
      requestedAt = now;
    },

    /** Called once the messages are deleted, and again if more of them turn out to be undeletable. */
    async report(mark: ErasureMark, running: number): Promise<void> {
      if (reportedCount === mark.stays) return;
      await send(mark, running, false);
      reportedCount = mark.stays;
    },

    reportDone: (mark: ErasureMark): Promise<void> => send(mark, 0, true),
  };
}

/** If the member had asked before, what was erased then remains counted. */
export function toAskedPartition(partition: number, { asked = [] }: ErasureMark): AskedPartition {
  const previous = asked.find((one) => one.partition === partition);
  const noProgress = { tasks: 0, messages: 0, stays: 0, left: [], running: 0 };
  return { ...(previous ?? noProgress), partition, state: 'asked' };
}

/** A report about an earlier request says nothing about this one. A repeated erasure finds nothing, so the higher counts are correct. */
export function withReport(mark: ErasureMark, report: ErasureReport): ErasureMark {
  const { from, until, isDone, outcome } = report;
  if (until < mark.until) return mark;
  const asked = mark.asked?.map((one): AskedPartition => {
    if (one.partition !== from) return one;
    return {
      ...one,
      state: isDone || one.state === 'done' ? 'done' : 'reported',
      tasks: Math.max(one.tasks, outcome.tasks),
      messages: Math.max(one.messages, outcome.messages),
      running: outcome.running,
      ...(outcome.stays > one.stays && { stays: outcome.stays, left: outcome.left }),
    };
  });
  return { ...mark, ...(asked && { asked }) };
}

export function totalOutcome(
  { tasks, messages, stays, left, asked = [] }: ErasureMark,
  running: number,
): ErasureOutcome {
  const all = [{ tasks, messages, stays, left, running }, ...asked];
  const sum = (field: 'tasks' | 'messages' | 'stays' | 'running'): number =>
    all.reduce((total, one) => total + one[field], 0);
  return {
    tasks: sum('tasks'),
    messages: sum('messages'),
    stays: sum('stays'),
    running: sum('running'),
    left: all.flatMap((one) => one.left).slice(0, MAX_UNDELETABLE),
  };
}
