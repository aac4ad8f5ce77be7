import { customId } from '../../../src/discord/custom-ids.ts';
import { type DeliveryContext, EndDelivery, OwnerPing } from '../../../src/discord/delivery/end-delivery.ts';
import { DeliveryRecord } from '../../../src/discord/delivery/record.ts';
import type { MessagePlan } from '../../../src/discord/plan.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { buildTask, start } from '../../services/orders/builders.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Parts } from '../../support/tasks.ts';
import { CHANNEL, createFixture as createOutboxFixture, type Fixture as OutboxFixture } from '../outbox/fixture.ts';
import { MemoryTasks } from './memory-tasks.ts';

export const PLACE = { channelId: CHANNEL, id: '1400000000000000007' };
export const MEMBER = '100000000000000001';

/** A task that has a result, and the message of the bot that shows its progress. */
export const readyTask = (changes: Parts = {}): Task =>
  buildTask({ state: 'ready', message: PLACE, times: { created: start, ended: start + 1_000 }, ...changes });

export interface Fixture extends OutboxFixture {
  clock: ManualClock;
  tasks: MemoryTasks;
  /** The stored task. */
  stored(): Task;
  /** Shows the end of the task, as a delivery does. Time passes whenever it waits. */
  showEnd(): Promise<Task>;
  /** Pings the owner. Time passes whenever that waits. */
  ping(): Promise<Task>;
  messageState: DeliveryContext['messageState'];
  /** How many messages were prepared and not released. */
  unreleasedCount(): number;
  preparedCount(): number;
}

interface Options {
  plan?: (task: Task) => MessagePlan;
  fallback?: MessagePlan;
}

/** The delivery of one task between a scripted Discord and tasks in memory, on a clock that starts with the task. */
export function createFixture(task: Task, { plan = planOf, fallback }: Options = {}): Fixture {
  const base = createOutboxFixture();
  const { outbox, log } = base;
  const clock = new ManualClock(start + 1_000);
  const tasks = new MemoryTasks();
  tasks.put(task);
  const messageState: DeliveryContext['messageState'] = { closed: new Set(), isDeleted: false };
  let [preparedCount, unreleasedCount] = [0, 0];
  const tools = { outbox, clock, log, change: tasks.change.bind(tasks) };
  const context: DeliveryContext = {
    ...tools,
    id: task.id,
    messageState,
    record: new DeliveryRecord(task.id, tools),
    hintFor: ({ id }) => ({ content: 'perhaps shown', controls: [{ type: 'button', id: showId(id), label: 'Show' }] }),
    async prepareMessage(current) {
      preparedCount += 1;
      unreleasedCount += 1;
      return {
        plan: plan(current),
        ...(fallback && { fallback }),
        release: () => {
          unreleasedCount -= 1;
        },
      };
    },
    stopping: new AbortController().signal,
  };
  const carryOut = async (work: Promise<unknown>): Promise<Task> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (let step = 0; !isDone && step < MAX_STEPS; step++) {
      await new Promise(setImmediate);
      if (step % STEPS_PER_SECOND === 0) clock.advance(1_000);
    }
    if (!isDone) throw new Error('The delivery never ended.');
    await done;
    return tasks.get(task.id);
  };
  return {
    ...base,
    clock,
    tasks,
    stored: () => tasks.get(task.id),
    showEnd: () => carryOut(new EndDelivery(context).deliver()),
    ping: () => carryOut(new OwnerPing(context).ping()),
    messageState,
    unreleasedCount: () => unreleasedCount,
    preparedCount: () => preparedCount,
  };
}

const MAX_STEPS = 200_000;
/** Enough for the requests of an attempt, so that time passes only while the delivery waits. */
const STEPS_PER_SECOND = 200;

const showId = (id: string): string => customId('showall', 1, id);

export const planOf = ({ id, state, delivery, requesterId }: Task): MessagePlan =>
  delivery.call
    ? { content: `<@${requesterId}> ${state}`, notifies: [requesterId] }
    : { content: state, controls: [{ type: 'button', id: customId('act', 1, id), label: 'U1' }] };
