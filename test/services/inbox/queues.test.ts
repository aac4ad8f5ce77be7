import type { Job } from 'bullmq';
import { expect, it, vi } from 'vitest';
import { type QueueServer, Queues } from '../../../src/services/inbox/queues.ts';

type Handle = Parameters<QueueServer['worker']>[1];

it('A packet whose lock has expired while its process was busy is not handled a second time', async () => {
  let deliver: Handle | undefined;
  const server: QueueServer = {
    queue: () => ({ add: vi.fn(), getJob: vi.fn(), getWaitingCount: vi.fn(), close: vi.fn() }),
    worker(_name, handle) {
      deliver = handle;
      return { close: vi.fn() };
    },
    close: vi.fn(),
  };
  const handled: boolean[] = [];
  const work = Promise.withResolvers<void>();
  new Queues({ server, lockMs: 1_000, log: { warn: vi.fn() } }).consume(0, async ({ isRepeated }) => {
    handled.push(isRepeated);
    await work.promise;
  });
  const job = (attemptsStarted: number, data: unknown = {}) => ({
    id: 'i1',
    data,
    attemptsStarted,
    updateData: vi.fn(),
  });
  const jobs = [job(1), job(2)];
  const deliveries = jobs.map((one) => deliver?.(one as unknown as Job));
  work.resolve();
  await Promise.all(deliveries);
  expect(handled).toEqual([false]);
  expect(jobs[0]?.updateData).toHaveBeenCalledOnce();
  // The packet is delivered again if the queue could not be told that it has been handled.
  await deliver?.(job(3, null) as unknown as Job);
  expect(handled).toEqual([false]);
  await deliver?.(job(3) as unknown as Job);
  expect(handled).toEqual([false, true]);
});
