import type { Job } from 'bullmq';
import { expect, it, vi } from 'vitest';
import { Inbox, type QueueServer } from '../../../src/services/cluster/inbox.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';

type Handle = Parameters<QueueServer['worker']>[1];

const ready = () => ({ waitUntilReady: vi.fn(async () => undefined), close: vi.fn(async () => undefined) });
const broken = () => ({
  waitUntilReady: () => Promise.reject(new Error('read ECONNRESET')),
  close: vi.fn(async () => undefined),
});
const queueMethods = () => ({ add: vi.fn(), getJob: vi.fn(), getWaitingCount: vi.fn(async () => 0) });

it('A packet whose lock has expired while its process was busy is not handled a second time', async () => {
  let deliver: Handle | undefined;
  const server: QueueServer = {
    queue: () => ({ ...ready(), ...queueMethods() }),
    worker(_name, handle) {
      deliver = handle;
      return { ...ready(), run: vi.fn(async () => undefined) };
    },
    close: vi.fn(),
  };
  const handled: boolean[] = [];
  const work = Promise.withResolvers<void>();
  new Inbox(server, 1_000, { log: plainLog(), clock: new ManualClock() }).consume(0, async ({ isRepeated }) => {
    handled.push(isRepeated);
    await work.promise;
    return undefined;
  });
  const job = (attemptsStarted: number, data: unknown = {}, progress = 0) => ({
    id: 'i1',
    data,
    attemptsStarted,
    progress,
    updateData: vi.fn(),
  });
  const jobs = [job(1), job(2)];
  const deliveries = jobs.map((one) => deliver?.(one as unknown as Job, 'token'));
  work.resolve();
  await Promise.all(deliveries);
  expect(handled).toEqual([false]);
  expect(jobs[0]?.updateData).toHaveBeenCalledOnce();
  // The packet is delivered again if the queue could not be told that it has been handled.
  await deliver?.(job(3, null) as unknown as Job, 'token');
  expect(handled).toEqual([false]);
  await deliver?.(job(3) as unknown as Job, 'token');
  expect(handled).toEqual([false, true]);
  // The first process died while it handled the packet, and the second one declined it.
  await deliver?.(job(3, {}, 1) as unknown as Job, 'token');
  expect(handled).toEqual([false, true, true]);
});

it('A worker whose connection fails while it starts is replaced, and never runs', async () => {
  const run = vi.fn(async () => undefined);
  const workers = [
    { ...broken(), run },
    { ...ready(), run },
  ];
  const [failed, replacement] = workers;
  const server: QueueServer = {
    queue: () => ({ ...ready(), ...queueMethods() }),
    worker: () => workers.shift() ?? expect.fail('A third worker was created.'),
    close: vi.fn(),
  };
  const clock = new ManualClock();
  const consumer = new Inbox(server, 1_000, { log: plainLog(), clock }).consume(0, vi.fn());
  const runsLater = () => {
    clock.advance(1_000);
    return run.mock.calls.length;
  };
  await expect.poll(runsLater).toBe(1);
  expect(failed?.close).toHaveBeenCalledOnce();
  expect(run.mock.contexts).toEqual([replacement]);
  await consumer.close();
  expect(replacement?.close).toHaveBeenCalledOnce();
});

it('A consumer that is closed while it starts takes nothing', async () => {
  const connecting = Promise.withResolvers<undefined>();
  const worker = { ...ready(), waitUntilReady: () => connecting.promise, run: vi.fn(async () => undefined) };
  const server: QueueServer = {
    queue: () => ({ ...ready(), ...queueMethods() }),
    worker: () => worker,
    close: vi.fn(),
  };
  const consumer = new Inbox(server, 1_000, { log: plainLog(), clock: new ManualClock() }).consume(0, vi.fn());
  await consumer.close();
  connecting.resolve(undefined);
  await connecting.promise;
  expect(worker.close).toHaveBeenCalledOnce();
  expect(worker.run).not.toHaveBeenCalled();
});

it('A queue whose connection fails while it starts is replaced', async () => {
  const failed = {
    ...broken(),
    ...queueMethods(),
    getWaitingCount: () => Promise.reject(new Error('read ECONNRESET')),
  };
  const created = [failed, { ...ready(), ...queueMethods() }];
  const server: QueueServer = {
    queue: () => created.shift() ?? expect.fail('A third queue was created.'),
    worker: vi.fn(),
    close: vi.fn(),
  };
  const queues = new Inbox(server, 1_000, { log: plainLog(), clock: new ManualClock() });
  await expect(queues.waitingCount(0)).rejects.toThrow('ECONNRESET');
  await expect.poll(() => failed.close.mock.calls.length).toBe(1);
  expect(await queues.waitingCount(0)).toBe(0);
});

it('Many failures in a short time are one warning', () => {
  const warn = vi.fn();
  const clock = new ManualClock();
  let report: ((error: Error) => void) | undefined;
  const server: QueueServer = {
    queue(_name, onError) {
      report = onError;
      return { ...ready(), ...queueMethods() };
    },
    worker: vi.fn(),
    close: vi.fn(),
  };
  void new Inbox(server, 1_000, { log: plainLog({ warn }), clock }).waitingCount(0);
  for (let failure = 0; failure < 3; failure++) report?.(new Error('read ECONNRESET'));
  expect(warn).toHaveBeenCalledOnce();
  clock.advance(10_000);
  report?.(new Error('read ECONNRESET'));
  expect(warn).toHaveBeenCalledTimes(2);
});
