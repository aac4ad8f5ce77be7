import { expect, it } from 'vitest';
import { factOfTask } from '../../../src/services/ledger/entry.ts';
import { TaskBook } from '../../../src/services/tasks/book.ts';
import { Sweep } from '../../../src/services/tasks/sweep.ts';
import { createStoreFixture, DAY_MS, makeTask, START } from '../store/store-fixture.ts';

it('A job that the gateway never ends is followed for 30 days, and then counts with its estimate', async () => {
  const { open, log, clock } = createStoreFixture();
  const book = new TaskBook({ store: await open(), log, clock });
  const [endless, younger, unpolled] = [
    makeTask({ times: { accepted: START } }),
    makeTask({ times: { created: START + 1, accepted: START + DAY_MS } }),
    makeTask({ kind: 'album', request: { parts: [] }, times: { created: START + 2, accepted: START } }),
  ];
  for (const task of [endless, younger, unpolled]) await book.add(task);
  const maxWaitMs = { image: 1_000, video: 1_000, music: 1_000, text: 1_000 };
  const isPolled = ({ kind }: typeof endless): boolean => kind === 'imagine';
  const sweep = new Sweep({ book, clock, log, maxWaitMs, waitLimitOf: () => 'image', isPolled });
  clock.advance(30 * DAY_MS - 5_000);
  sweep.start();
  clock.advance(5_000);
  await sweep.stop();
  const ended = await book.get(endless.id);
  expect(ended).toMatchObject({ state: 'expired', failure: { cause: 'unconfirmed' } });
  expect(ended && factOfTask({ ...ended, traits: { isPaid: true } }).standing).toBe('settled');
  expect((await book.get(younger.id))?.state).toBe('running');
  expect((await book.get(unpolled.id))?.state).toBe('running');
});

it('A held result about which no moderator decides for 7 days is deleted, and its message says so', async () => {
  const { open, log, clock } = createStoreFixture();
  const book = new TaskBook({ store: await open(), log, clock });
  const heldTask = makeTask({ state: 'ready', review: { outcome: 'held', at: START } });
  await book.add(heldTask);
  const maxWaitMs = { image: 1_000, video: 1_000, music: 1_000, text: 1_000 };
  const sweep = new Sweep({ book, clock, log, maxWaitMs, waitLimitOf: () => 'image', isPolled: () => true });
  clock.advance(7 * DAY_MS - 5_000);
  sweep.start();
  clock.advance(5_000);
  await sweep.stop();
  expect(await book.get(heldTask.id)).toMatchObject({
    state: 'failed',
    failure: { refusal: { key: 'refusals.rules.resultUndecided' } },
    review: { outcome: 'deleted' },
  });
});
