import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';

// A process that stores and settles tasks until it is killed, and prints the ID of each once the store has confirmed it.

const CONCURRENCY = 4;

const [url = '', taskJson = ''] = process.argv.slice(2);
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const task = JSON.parse(taskJson) as Task;
const store = await openStore({ url, scheme: url.split(':')[0] ?? '' }, { specs: kindSpecs, log, clock: systemClock });

async function storeTasks(): Promise<never> {
  for (;;) {
    const id = createTaskId(systemClock.now());
    await store.put({ ...task, id });
    process.stdout.write(`${id}\n`);
    await store.put({ ...task, id, state: 'delivered', times: { ...task.times, settled: systemClock.now() } });
  }
}

await Promise.all(Array.from({ length: CONCURRENCY }, storeTasks));
