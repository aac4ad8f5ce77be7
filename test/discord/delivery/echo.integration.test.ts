import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { dropToken } from '../../../src/services/tasks/delivery-state.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { createTemporaryFolder } from '../../services/store/store-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createFixture, minutes, planOf, seconds } from './integration-fixture.ts';
import { MemoryTasks, waitUntil } from './memory-tasks.ts';

const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });

/** Stores tasks as the bot does, so every stored change is announced to the delivery again. */
class StoredMemoryTasks extends MemoryTasks {
  readonly book: TaskBook;

  constructor(book: TaskBook) {
    super();
    this.book = book;
  }

  override async change(id: string, transition: (task: Task) => Task): Promise<Task> {
    if (!this.book.find(id)) await this.book.add(this.get(id));
    const changedTask = await this.book.change(id, transition);
    this.put(changedTask);
    return changedTask;
  }
}

async function sceneWithBook() {
  const store = await openStore(
    { url: `sqlite://${join(createTemporaryFolder(), 'atelier.sqlite')}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock: new ManualClock() },
  );
  onTestFinished(() => store.close());
  const tasks = new StoredMemoryTasks(new TaskBook(store, log));
  const preparedStates: string[] = [];
  const plan = (task: Task) => {
    preparedStates.push(`${task.state} ${task.progress}`);
    return planOf(task);
  };
  const base = await createFixture({ tasks, plan });
  tasks.book.onChange((task) => base.delivery.show(task));
  return { ...base, tasks, prepared: preparedStates };
}

it('A view is prepared once for every visible change, and not again when its delivery is stored', async () => {
  const { order, tasks, clock, prepared: preparedStates, timerCount, writtenContents } = await sceneWithBook();
  const { task } = await order();
  for (const [index, progress] of [10, 20, 30].entries()) {
    await tasks.change(task.id, (known) => ({ ...known, state: 'running', progress }));
    clock.advance(minutes(1));
    await tasks.waitForEdits(task.id, index + 1);
    await waitUntil(() => timerCount() === 0);
    clock.advance(minutes(1));
  }
  await tasks.change(task.id, (known) => ({ ...known, state: 'ready', times: { ...known.times, ended: clock.now() } }));
  await tasks.waitUntilSettled(task.id);
  // The job took more than a minute, so its owner is pinged.
  expect(writtenContents()).toEqual([
    'running 10',
    'running 20',
    'running 30',
    'ready 30',
    `<@${task.requesterId}>: delivered`,
  ]);
  expect(preparedStates).toEqual([...new Set(preparedStates)]);
});

it('Invisible changes are stored without an announcement, and a change of the route is announced', async () => {
  const { order, tasks, clock } = await sceneWithBook();
  const { task } = await order();
  const announcedTasks: Task[] = [];
  await tasks.change(task.id, (known) => ({ ...known, state: 'running', progress: 10 }));
  tasks.book.onChange((one) => announcedTasks.push(one));
  clock.advance(seconds(1));
  const at = clock.now();
  const location = { channelId: '1', id: '2' };
  const intention = { by: 'channel', channelId: '1', nonce: task.id, at } as const;
  for (const change of [
    { delivery: { progressEdits: 9, intention } },
    { message: location, beside: [location], word: 'STILL' },
    { polls: 3, times: { ...task.times, started: at, remoteStarted: at, lastPending: at } },
  ] satisfies Partial<Task>[])
    await tasks.change(task.id, (known) => ({ ...known, ...change }));
  expect(announcedTasks).toEqual([]);
  await tasks.change(task.id, dropToken);
  expect(announcedTasks).toHaveLength(1);
});
