import type { Clock } from '../../../lib/clock.ts';
import { isLive, type Task } from '../../tasks/task.ts';
import { withoutExpiredToken } from '../../tasks/transitions.ts';
import { taskMigrations } from '../migrations.ts';
import type { Quarantine } from '../quarantine.ts';
import { isPast } from '../retention.ts';
import type { Shelves } from '../shelves.ts';
import { readTask } from '../task-record.ts';
import type { TaskRows } from '../task-rows.ts';
import { counted, type Look } from './finding.ts';
import { sorted } from './rows.ts';

interface TaskLook extends Look {
  /** All tasks as they should be. */
  tasks: ReadonlyMap<string, Task>;
}

export async function lookAtTasks(
  { live, finished }: Shelves,
  { rows, quarantine, clock }: { rows: TaskRows; quarantine: Quarantine; clock: Clock },
): Promise<TaskLook> {
  const now = clock.now();
  const read = (id: string, value: unknown): Task | string => {
    const record = readTask(id, value, taskMigrations);
    return 'task' in record ? record.task : record.unfit;
  };
  const places = { live: await sorted(live, quarantine, read), finished: await sorted(finished, quarantine, read) };
  const tasks = new Map<string, Task>();
  const wrong: Task[] = [];
  const past: string[] = [];
  const count = { both: 0, misplaced: 0, token: 0 };
  for (const [id, stored] of new Map([...places.live.good, ...places.finished.good])) {
    const task = withoutExpiredToken(stored, now);
    const isInLive = places.live.good.has(id);
    const isInFinished = places.finished.good.has(id);
    if (isPast(task.times.settled, now)) {
      past.push(id);
      continue;
    }
    const isInBoth = isInLive && isInFinished;
    const isMisplaced = !isInBoth && isLive(task) !== isInLive;
    const hadToken = task !== stored;
    count.both += Number(isInBoth);
    count.misplaced += Number(isMisplaced);
    count.token += Number(hadToken);
    if (isInBoth || isMisplaced || hadToken) wrong.push(task);
    tasks.set(id, task);
  }
  return {
    tasks,
    findings: counted({
      unreadable: places.live.bad + places.finished.bad,
      'in-both-places': count.both,
      misplaced: count.misplaced,
      'expired-token': count.token,
      past: past.length,
    }),
    repair: async () => {
      await places.live.setAside();
      await places.finished.setAside();
      for (const task of wrong) await rows.putRightly(task);
      await live.delete(...past);
      await finished.delete(...past);
    },
  };
}
