import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { Ledger } from '../../../../src/services/ledger/ledger.ts';
import { examine } from '../../../../src/services/store/index.ts';
import { openNamespaces } from '../../../../src/services/store/namespaces.ts';
import { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { operatorPriceBook } from '../../../support/prices.ts';
import { FailingPower } from '../../store/failing-power.ts';
import { folder, MINUTE_MS, makeTask, START, settled, sql, stage } from '../../store/stage.ts';
import { entriesOf, prices, requests, sums } from './scene.ts';

const member = '100000000000000001';
const own = { requesterId: member, request: { prompt: 'a fox that nobody shall know of' } };
const at = (ms: number) => ({ times: { created: START + ms } });

class Power extends FailingPower {
  isOut = false;

  override rows(text: string, ...values: unknown[]): Record<string, unknown>[] {
    try {
      return super.rows(text, ...values);
    } catch (error) {
      this.isOut = true;
      throw error;
    }
  }
}

/** Everything that a member may have at the same time, and a task that another member made from it. */
function everything(): Task[] {
  const failed = { state: 'failed', failure: { cause: 'failed' } } as const;
  const parent = settled(makeTask({ ...own, ...at(1), remoteId: 'r1', message: { channelId: 'c1', id: 'm1' } }));
  const ended = { created: START + 6, ended: START + MINUTE_MS };
  return [
    parent,
    settled(makeTask({ ...own, ...at(2), route: { isPrivate: true }, model: 'niji' })),
    { ...settled(makeTask({ ...own, ...at(3), guildId: undefined })), ...failed },
    makeTask({ ...own, ...at(4), remoteId: 'r4' }),
    makeTask({ ...own, ...at(5), state: 'needs-input', remoteId: 'r5' }),
    makeTask({ ...own, state: 'ready', remoteId: 'r6', times: ended }),
    makeTask({
      ...own,
      state: 'unconfirmed',
      failure: { cause: 'unconfirmed' },
      times: { ...ended, created: START + 7 },
    }),
    settled(makeTask({ ...at(8), requesterId: '200000000000000002', parentId: parent.id, rootId: parent.id })),
  ];
}

const rowsAbout = (file: string, words: string): unknown[] =>
  sql(file, 'SELECT key FROM atelier WHERE key LIKE ? OR value LIKE ?', `%${words}%`, `%${words}%`);

describe('The erasure of a member', () => {
  it('The erasure of a member completes once after a power failure at any write, and does not change the sums', {
    timeout: 120_000,
  }, async () => {
    const made = stage();
    const first = (await made.open()) as StoredTasks;
    const priceBook = operatorPriceBook(prices);
    for (const task of everything()) {
      const { kind, model } = task;
      await first.put({ ...task, estimate: priceBook.estimateOf({ kind, request: { model } }) });
    }
    await new Ledger({ ...made, entries: first.entries }).open(await first.live());
    await first.close();
    let expected: Record<string, number> | undefined;
    let isComplete = false;
    const runs: number[] = [];
    // The first run has no failure and yields the expected result.
    for (let writes = 100_000; !isComplete; writes = runs.length === 1 ? 0 : writes + 1) {
      runs.push(writes);
      const { file, log, logged } = stage(join(folder(), 'copy.sqlite'));
      const clock = new ManualClock(START + 2 * MINUTE_MS);
      copyFileSync(made.file, file);
      const power = new Power(file, writes);
      const failing = new StoredTasks({
        specs: kindSpecs,
        namespaces: openNamespaces(power),
        clock,
        log,
        close: () => power.close(),
      });
      const before = requests({ store: failing, clock, log });
      const started = await before.catch(() => undefined);
      const isRequested = await started?.tasks.erasure
        .begin(member, async () => true)
        .then(
          () => true,
          () => false,
        );
      if (isRequested) await started?.waitFor(async () => power.isOut || (await failing.openErasures()).length === 0);
      isComplete = runs.length > 1 && isRequested === true && !power.isOut;
      await started?.stop();
      const marks = isRequested ? await failing.openErasures() : [];
      await failing.close();

      const store = (await stage(file).open()) as StoredTasks;
      const again = await requests({ store, clock, log });
      if (!isRequested) await again.tasks.erasure.begin(member, async () => true);
      await again.waitFor(async () => (await store.openErasures()).length === 0);
      await again.stop();
      expect((await store.page({ of: { memberId: member }, max: 100 })).summaries).toEqual([]);
      const entries = await entriesOf(store);
      expected ??= sums(entries);
      expect(sums(entries)).toEqual(expected);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(8);
      expect(entries.filter(({ guildId, channelId }) => guildId ?? channelId)).toHaveLength(1);
      await store.close();
      expect(rowsAbout(file, member)).toEqual([]);
      expect(rowsAbout(file, 'nobody shall know')).toEqual([]);
      expect(rowsAbout(file, '200000000000000002').length).toBeGreaterThan(2);
      for (const { secret } of marks) expect(logged.join('')).not.toContain(secret);
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
