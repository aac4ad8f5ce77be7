import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { standingOf } from '../../../../src/services/money/entry.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { order } from '../builders.ts';
import { type Engine, startEngine } from '../engine.ts';

const OTHER_MEMBER = '100000000000000002';
let orderCount = 0;
const nextOrder = (overrides: Partial<typeof order> = {}): typeof order => ({
  ...order,
  request: { prompt: `a fox ${++orderCount}` },
  ...overrides,
});

const submitCount = ({ gateway }: Engine): number =>
  gateway.requests.filter(({ path }) => path.includes('/submit/')).length;
const waitForState = (fixture: Engine, task: Task, state: string): Promise<Task> =>
  fixture.until(() => fixture.changes.findLast((change) => change.id === task.id && change.state === state));

async function standings({ store, tasks }: Engine): Promise<string[]> {
  await tasks.ledger?.flush();
  return (await Array.fromAsync(store.entries.readRange('', '9999'))).map(standingOf).sort();
}

/** Starts a bot that runs one job at a time, and submits its first job. */
async function startWithRunningJob(parts: Parameters<typeof startEngine>[2] = {}) {
  const fixture = await startEngine({}, undefined, { jobsAtOnce: 1, ...parts });
  const running = await fixture.tasks.orders.submit(nextOrder());
  return { fixture, running };
}

describe('A task in the queue', () => {
  it('Another member’s task waits for one free slot, even if a member has a thousand tasks in the queue', {
    tags: ['breadth'],
  }, async () => {
    const { fixture, running } = await startWithRunningJob();
    for (let count = 0; count < 1_000; count++) await fixture.tasks.orders.submit(nextOrder());
    const otherTask = await fixture.tasks.orders.submit(
      nextOrder({ requesterId: OTHER_MEMBER, guildId: '200000000000000002' }),
    );
    expect(otherTask.place).toBe(1);
    await waitForState(fixture, running, 'ready');
    const freeAt = fixture.clock.now();
    await waitForState(fixture, otherTask, 'accepted');
    process.stderr.write(
      `With 1,000 tasks queued, another member's task was sent ${fixture.clock.now() - freeAt} ms after the job ended.\n`,
    );
    // Nothing else was sent before it.
    expect(submitCount(fixture)).toBe(2);
    const sameServer = await fixture.tasks.orders.submit(nextOrder({ requesterId: OTHER_MEMBER }));
    await waitForState(fixture, otherTask, 'ready');
    await waitForState(fixture, sameServer, 'accepted');
    expect(submitCount(fixture)).toBeLessThanOrEqual(4);
  });

  it('A restart keeps the queue', async () => {
    const { fixture } = await startWithRunningJob();
    const waitingTasks = [
      await fixture.tasks.orders.submit(nextOrder()),
      await fixture.tasks.orders.submit(nextOrder()),
    ];
    await fixture.kill();
    const restarted = await startEngine({}, fixture, { jobsAtOnce: 1 });
    for (const task of waitingTasks) await waitForState(restarted, task, 'ready');
    expect(submitCount(restarted)).toBe(3);
    expect(await standings(restarted)).toEqual(['settled', 'settled', 'settled']);
  });

  it('A task that was being sent when the bot died is not sent again', async () => {
    const { fixture, running } = await startWithRunningJob();
    const task = await fixture.tasks.orders.submit(nextOrder());
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'hang' });
    await waitForState(fixture, running, 'ready');
    await fixture.until(() => (submitCount(fixture) === 2 ? true : undefined));
    await fixture.kill();
    const restarted = await startEngine({}, fixture, { jobsAtOnce: 1 });
    expect((await waitForState(restarted, task, 'unconfirmed')).failure?.cause).toBe('unconfirmed');
    expect(submitCount(restarted)).toBe(2);
  });

  it('A task whose turn comes while the bot stops waits for the next start', async () => {
    const stopping = Promise.withResolvers<never>();
    let isHeld = false;
    const gather = () => (isHeld ? stopping.promise : Promise.resolve({}));
    const { fixture, running } = await startWithRunningJob({ gather });
    const task = await fixture.tasks.orders.submit(nextOrder());
    isHeld = true;
    await waitForState(fixture, running, 'ready');
    await fixture.until(() => (submitCount(fixture) === 1 ? true : undefined));
    await fixture.tasks.pause();
    stopping.reject(new Refusal('refusals.imageGone', { name: 'fox.png' }));
    await fixture.stop();
    const restarted = await startEngine({}, fixture, { jobsAtOnce: 1 });
    await waitForState(restarted, task, 'ready');
    expect(submitCount(restarted)).toBe(2);
  });
});
