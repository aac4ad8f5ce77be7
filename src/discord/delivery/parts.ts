import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { MessagePlan } from '../plan.ts';

export interface Prepared {
  plan: MessagePlan;
  /** What is sent where Discord does not take that. */
  instead?: MessagePlan;
  /** Gives back the memory that its files hold. */
  release(): void;
}

export type Transition = (task: Task) => Task;

export interface DeliveryParts {
  outbox: Outbox;
  clock: Clock;
  log: PlainLog;
  /**
   * What is to be told of a task now: what its message shows or, once that shows the end, the call to its member. It may fetch
   * results, or a preview until the signal says that nobody waits for it. Does not throw for anything expected.
   */
  prepare(task: Task, signal?: AbortSignal): Promise<Prepared>;
  /** Changes the stored task atomically and answers with it as it is then; throws if the store cannot. */
  change(id: string, transition: Transition): Promise<Task>;
}
