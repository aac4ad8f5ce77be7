import { expect, it } from 'vitest';
import { factOfTask } from '../../../../src/services/money/entry.ts';
import { createOrdersContext, type OrdersSources } from '../../../../src/services/orders/orders-context.ts';
import { startSweep } from '../../../../src/services/orders/submission/sweep.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Kind } from '../../../../src/services/tasks/kind.ts';
import { createStoreFixture, DAY_MS, makeTask, START } from '../../store/store-fixture.ts';
import { ordersSources } from '../sources.ts';

const polled = {
  waitLimit: () => 'image' as const,
  durationKey: () => '',
  source: { name: 'imgx', endpoint: { get: () => expect.unreachable() } },
} as const;
const kinds: Kind[] = [
  { ...polled, name: 'imagine' },
  { ...polled, name: 'album', source: undefined },
];
const settings: OrdersSources['settings'] = {
  maxWaitMs: { image: 1_000, video: 1_000, music: 1_000, text: 1_000 },
  poll: { schedule: 'learned' },
  callbacks: { url: undefined, port: undefined, host: '127.0.0.1' },
  presets: [],
};

it('A job that the gateway never ends is followed for 30 days, and then counts with its estimate', async () => {
  const { open, log, clock } = createStoreFixture();
  const context = { clock, log };
  const sources = ordersSources(context, (await open()) as StoredTasks, { settings, kinds });
  const { book } = sources;
  const [endless, younger, unpolled] = [
    makeTask({ times: { accepted: START } }),
    makeTask({ times: { created: START + 1, accepted: START + DAY_MS } }),
    makeTask({ kind: 'album', request: { parts: [] }, times: { created: START + 2, accepted: START } }),
  ];
  for (const task of [endless, younger, unpolled]) await book.add(task);
  clock.advance(30 * DAY_MS - 5_000);
  const stop = startSweep(createOrdersContext(context, sources, () => undefined));
  clock.advance(5_000);
  await stop();
  const ended = await book.get(endless.id);
  expect(ended).toMatchObject({ state: 'expired', failure: { cause: 'unconfirmed' } });
  expect(ended && factOfTask({ ...ended, traits: { isPaid: true } }).standing).toBe('settled');
  expect((await book.get(younger.id))?.state).toBe('running');
  expect((await book.get(unpolled.id))?.state).toBe('running');
});

it('A held result about which no moderator decides for 7 days is deleted, and its message says so', async () => {
  const { open, log, clock } = createStoreFixture();
  const context = { clock, log };
  const sources = ordersSources(context, (await open()) as StoredTasks, { settings, kinds });
  const { book } = sources;
  const heldTask = makeTask({ state: 'ready', review: { outcome: 'held', at: START } });
  await book.add(heldTask);
  clock.advance(7 * DAY_MS - 5_000);
  const stop = startSweep(createOrdersContext(context, sources, () => undefined));
  clock.advance(5_000);
  await stop();
  expect(await book.get(heldTask.id)).toMatchObject({
    state: 'failed',
    failure: { refusal: { key: 'refusals.rules.resultUndecided' } },
    review: { outcome: 'deleted' },
  });
});
