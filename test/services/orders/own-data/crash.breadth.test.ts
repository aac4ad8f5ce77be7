import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { Ledger } from '../../../../src/services/money/ledger.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import { openNamespaces } from '../../../../src/services/store/namespaces.ts';
import { openStoredTasks, type StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { putWithEntry } from '../../../support/ledger-tasks.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { operatorPriceBook } from '../../../support/prices.ts';
import { FailingBackend } from '../../store/failing-power.ts';
import {
  createStoreFixture,
  createTemporaryFolder,
  MINUTE_MS,
  makeTask,
  START,
  settled,
  sql,
} from '../../store/store-fixture.ts';
import { entriesOf, prices, startEngine, sumUsage } from './fixture.ts';

const member = '100000000000000001';
const ownTask = { requesterId: member, request: { prompt: 'a fox that nobody shall know of' } };
const createdAt = (ms: number) => ({ times: { created: START + ms } });

class TrackedBackend extends FailingBackend {
  hasFailed = false;

  override rows(text: string, ...values: unknown[]): Record<string, unknown>[] {
    try {
      return super.rows(text, ...values);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

/** One task of every sort that a member may have, and a task that another member created from one of them. */
function allTasks(): Task[] {
  const failedState = { state: 'failed', failure: { cause: 'failed' } } as const;
  const parent = settled(
    makeTask({ ...ownTask, ...createdAt(1), remoteId: 'r1', message: { channelId: 'c1', id: 'm1' } }),
  );
  const nijiRequest = { ...ownTask.request, model: 'niji' };
  const endedTimes = { created: START + 6, ended: START + MINUTE_MS };
  return [
    parent,
    settled(makeTask({ ...ownTask, ...createdAt(2), request: nijiRequest, route: { isPrivate: true }, model: 'niji' })),
    { ...settled(makeTask({ ...ownTask, ...createdAt(3), guildId: undefined })), ...failedState },
    makeTask({ ...ownTask, ...createdAt(4), remoteId: 'r4' }),
    makeTask({ ...ownTask, ...createdAt(5), state: 'needs-input', remoteId: 'r5' }),
    makeTask({ ...ownTask, state: 'ready', remoteId: 'r6', times: endedTimes }),
    makeTask({
      ...ownTask,
      state: 'unconfirmed',
      failure: { cause: 'unconfirmed' },
      times: { ...endedTimes, created: START + 7 },
    }),
    settled(makeTask({ ...createdAt(8), requesterId: '200000000000000002', parentId: parent.id, rootId: parent.id })),
  ];
}

const rowsAbout = (file: string, text: string): unknown[] =>
  sql(file, 'SELECT key FROM atelier WHERE key LIKE ? OR value LIKE ?', `%${text}%`, `%${text}%`);

describe('The erasure of a member', () => {
  it('The erasure of a member completes once after a power failure at any write, and does not change the sums', async () => {
    const setup = createStoreFixture();
    const first = (await setup.open()) as StoredTasks;
    const priceBook = operatorPriceBook(prices);
    for (const task of allTasks()) await putWithEntry(first, { ...task, estimate: priceBook.estimateOf(task) });
    await new Ledger(setup, first.entries).open(await first.live());
    await first.close();
    let expected: Record<string, number> | undefined;
    let isComplete = false;
    const runs: number[] = [];
    // The first run has no failure and yields the expected result.
    for (let writes = 100_000; !isComplete; writes = runs.length === 1 ? 0 : writes + 1) {
      runs.push(writes);
      const { file, log, logged } = createStoreFixture(join(createTemporaryFolder(), 'copy.sqlite'));
      const clock = new ManualClock(START + 2 * MINUTE_MS);
      copyFileSync(setup.file, file);
      const backend = new TrackedBackend(file, writes);
      const failingStore = openStoredTasks({
        specs: kindSpecs,
        namespaces: openNamespaces(backend),
        clock,
        log,
        close: () => backend.close(),
      });
      const startup = startEngine({ store: failingStore, clock, log });
      const engine = await startup.catch(() => undefined);
      const isRequested = await engine?.tasks.erasure
        .begin(member, async () => true)
        .then(
          () => true,
          () => false,
        );
      if (isRequested)
        await engine?.waitFor(async () => backend.hasFailed || (await failingStore.erasures.all()).length === 0);
      isComplete = runs.length > 1 && isRequested === true && !backend.hasFailed;
      await engine?.stop();
      const openErasures = isRequested ? await failingStore.erasures.all() : [];
      await failingStore.close();

      const store = (await createStoreFixture(file).open()) as StoredTasks;
      const restarted = await startEngine({ store, clock, log });
      if (!isRequested) await restarted.tasks.erasure.begin(member, async () => true);
      await restarted.waitFor(async () => (await store.erasures.all()).length === 0);
      await restarted.stop();
      expect((await store.page({ of: { memberId: member }, max: 100 })).summaries).toEqual([]);
      const entries = await entriesOf(store);
      expected ??= sumUsage(entries);
      expect(sumUsage(entries)).toEqual(expected);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(8);
      expect(entries.filter(({ guildId, channelId }) => guildId ?? channelId)).toHaveLength(1);
      await store.close();
      expect(rowsAbout(file, member)).toEqual([]);
      expect(rowsAbout(file, 'nobody shall know')).toEqual([]);
      expect(rowsAbout(file, '200000000000000002').length).toBeGreaterThan(2);
      for (const { secret } of openErasures) expect(logged.join('')).not.toContain(secret);
      const { findings } = await examine(
        { url: `sqlite://${file}`, scheme: 'sqlite' },
        { specs: kindSpecs, clock, log, repair: false },
      );
      expect(findings).toEqual([]);
    }
    expect(runs.length).toBeGreaterThan(50);
    expect(expected).toEqual({
      'imagine  0.05 refunded': 2,
      'imagine  0.05 settled': 4,
      'imagine  0.05 unconfirmed': 1,
      'imagine niji 0.07 settled': 1,
    });
  });
});
