import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { entryKey, type LedgerEntry, standingOf } from '../../../src/services/money/entry.ts';
import { Ledger } from '../../../src/services/money/ledger.ts';
import type { Limits } from '../../../src/services/money/limits.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { markAccepted, markDismissed, markUnconfirmed, setSuccessor } from '../../../src/services/tasks/transitions.ts';
import { addCleanup } from '../../support/ending.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Parts } from '../../support/tasks.ts';
import { acceptedSubmit, buildTask, start } from '../orders/builders.ts';
import { createSpending } from './spending/fixture.ts';

const DAY_MS = 86_400_000;
const MEMBER = '100000000000000001';
const GUILD = '200000000000000001';
const DAYS = { start: '2025-01-01', end: '2027-01-01' };

/** A task with an estimate of half a dollar. */
const priced = (changes: Parts = {}): Task =>
  buildTask({ estimate: { amount: '0.5', source: 'operator', at: 0 }, ...changes });
const ready = (task: Task, cost?: string): Task => ({
  ...markAccepted(task, acceptedSubmit, start),
  state: 'ready',
  ...(cost !== undefined && { cost }),
});

/** A ledger on a store in memory, with limits of a member if there are any. Writes fail while `failure` is set. */
async function createFixture(member?: Limits) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) });
  const store = await openStore(
    { url: 'sqlite://:memory:', scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  addCleanup(() => store.close());
  /** Whether a power cut may undo each write. */
  const repeatable: unknown[] = [];
  const writes = { count: 0, failure: undefined as Error | undefined, held: undefined as Promise<void> | undefined };
  const entries = new Proxy(store.entries, {
    get(target, name) {
      if (name === 'change')
        return async (...args: Parameters<typeof target.change>) => {
          await writes.held;
          if (writes.failure) throw writes.failure;
          writes.count += 1;
          repeatable.push(args[2]);
          return target.change(...args);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const settings = { total: {}, server: {}, direct: {}, member: member ?? {} };
  const spending = member && createSpending({ settings, clock });
  const open = (): Ledger => new Ledger({ clock, log }, entries, spending);
  const ledger = open();
  await ledger.open([]);
  const allEntries = (): Promise<LedgerEntry[]> => Array.fromAsync(store.entries.readRange('', '9999'));
  return {
    ledger,
    open,
    store,
    clock,
    writes,
    repeatable,
    spending,
    allEntries,
    standings: async () => (await allEntries()).map(standingOf),
    /** What the member has left today. */
    left: () => spending?.allowances({ memberId: MEMBER, guildId: GUILD, isDirect: undefined })[0]?.left,
    logged: () => lines.join(''),
  };
}

describe('A reservation', () => {
  it('A reservation counts before the order is sent, and again as nothing once the order is refused', async () => {
    const { ledger, standings, left } = await createFixture({ day: { amount: '1' } });
    const task = priced();
    await ledger.reserve(task);
    expect([await standings(), left()]).toEqual([['reserved'], '0.5']);
    await ledger.refund(task);
    expect([await standings(), left()]).toEqual([['refunded'], '1.0']);
  });

  it('A reservation that would exceed a limit is refused and not stored', async () => {
    const { ledger, standings, left } = await createFixture({ day: { amount: '0.7' } });
    await ledger.reserve(priced({ id: 'a' }));
    await expect(ledger.reserve(priced({ id: 'b' }))).rejects.toMatchObject({ key: 'refusals.overBudget.member' });
    expect([await standings(), left()]).toEqual([['reserved'], '0.2']);
  });

  it('A reservation that cannot be stored does not count', async () => {
    const { ledger, writes, left } = await createFixture({ day: { amount: '1' } });
    writes.failure = new Error('The disk is full.');
    await expect(ledger.reserve(priced())).rejects.toThrow('The disk is full.');
    expect(left()).toBe('1.0');
  });

  it('What costs nothing is not in the ledger', async () => {
    const { ledger, allEntries, writes } = await createFixture();
    const free: Task = { ...priced(), traits: {} };
    await ledger.reserve(free);
    await ledger.refund(free);
    await ledger.reconsider(free);
    expect([await allEntries(), writes.count, await ledger.costOf(free)]).toEqual([[], 0, undefined]);
  });

  it('A reservation grows with an answer that continues, within the limits', async () => {
    const { ledger, left, allEntries } = await createFixture({ day: { amount: '1' } });
    const task = priced();
    await ledger.reserve(task);
    const grown = (amount: string): Task => ({ ...task, estimate: { amount, source: 'operator', at: 0 } });
    await ledger.extend(grown('0.8'));
    expect(left()).toBe('0.2');
    await expect(ledger.extend(grown('1.1'))).rejects.toMatchObject({ key: 'refusals.overBudget.member' });
    expect(left()).toBe('0.2');
    expect((await allEntries())[0]?.facts.map(({ amount }) => amount)).toEqual(['0.5', '0.8']);
  });

  it('Only the growth of a reservation has to be on the disk at once: a task is stored after its reservation, and a start repairs what followed', async () => {
    const { ledger, repeatable } = await createFixture();
    const task = priced();
    await ledger.reserve(task);
    await ledger.extend({ ...task, estimate: { amount: '0.8', source: 'operator', at: 0 } });
    await ledger.refund(task);
    expect(repeatable).toEqual([true, undefined, true]);
  });

  it('A growth that cannot be stored does not count, and only an open reservation can grow', async () => {
    const { ledger, left, writes } = await createFixture({ day: { amount: '1' } });
    const task = priced();
    await expect(ledger.extend(task)).rejects.toThrow('Only an open reservation can grow.');
    await ledger.reserve(task);
    writes.failure = new Error('The disk is full.');
    const grown: Task = { ...task, estimate: { amount: '0.8', source: 'operator', at: 0 } };
    await expect(ledger.extend(grown)).rejects.toThrow('The disk is full.');
    expect(left()).toBe('0.5');
  });
});

describe('The end of a task in the ledger', () => {
  it('The end is written with the cost, and only once', async () => {
    const { ledger, allEntries, left, writes } = await createFixture({ day: { amount: '1' } });
    const task = priced();
    await ledger.reserve(task);
    ledger.onTaskChange(markAccepted(task, acceptedSubmit, start));
    await ledger.flush();
    expect(writes.count).toBe(1);
    const done = ready(task, '0.3');
    ledger.onTaskChange(done);
    await ledger.flush();
    ledger.onTaskChange(done);
    await ledger.flush();
    expect(writes.count).toBe(2);
    expect([(await allEntries())[0]?.facts.map(({ standing }) => standing), left()]).toEqual([
      ['reserved', 'settled'],
      '0.7',
    ]);
    expect(await ledger.costOf(done)).toEqual({ amount: '0.3', isEstimate: false, standing: 'settled' });
  });

  it('The cost is the estimate until one is known, and unknown without both', async () => {
    const { ledger } = await createFixture();
    const task = priced();
    expect(await ledger.costOf(task)).toBeUndefined();
    await ledger.reserve(task);
    expect(await ledger.costOf(task)).toEqual({ amount: '0.5', isEstimate: true, standing: 'reserved' });
    const unpriced = buildTask({ id: 'b' });
    await ledger.reserve(unpriced);
    expect(await ledger.costOf(unpriced)).toBeUndefined();
  });

  it('A task that is not open is written only if somebody decided about it', async () => {
    const { ledger, writes, standings } = await createFixture();
    const lost = markUnconfirmed(priced(), undefined, start);
    ledger.onTaskChange(lost);
    await ledger.flush();
    expect(writes.count).toBe(0);
    for (const [index, decided] of [
      markDismissed(lost, start),
      setSuccessor(lost, 'b'),
      { ...lost, releasedAt: start },
      { ...ready(priced()), review: { outcome: 'deleted' as const, at: start } },
    ].entries()) {
      ledger.onTaskChange({ ...decided, id: `task-${index}` });
      await ledger.flush();
    }
    expect(await standings()).toEqual(['settled', 'settled', 'refunded', 'waived']);
  });

  it('A decision about an unknown outcome that is withdrawn is recorded after what was being written', async () => {
    const { ledger, writes, allEntries } = await createFixture();
    const lost = markUnconfirmed(priced(), undefined, start);
    await ledger.reserve(priced());
    const held = Promise.withResolvers<void>();
    writes.held = held.promise;
    ledger.onTaskChange(setSuccessor(lost, 'b'));
    const reconsidered = ledger.reconsider(lost);
    held.resolve();
    await reconsidered;
    expect((await allEntries())[0]?.facts.map(({ standing }) => standing)).toEqual([
      'reserved',
      'settled',
      'unconfirmed',
    ]);
  });

  it('An end that could not be written is written with the next flush, and its task is kept until then', async () => {
    const { ledger, writes, standings, logged } = await createFixture();
    const task = priced();
    await ledger.reserve(task);
    writes.failure = new Error('The disk is full.');
    ledger.onTaskChange(ready(task));
    await expect(ledger.writeEnd(ready(task))).rejects.toThrow('is not in the ledger yet');
    expect(logged()).toContain('could not be written to the ledger');
    writes.failure = undefined;
    await ledger.flush();
    expect(await standings()).toEqual(['settled']);
    await ledger.writeEnd(ready(task));
  });

  it('The end of a task that is about to be deleted is written first', async () => {
    const { ledger, standings, writes } = await createFixture();
    const task = priced();
    await ledger.reserve(task);
    await ledger.writeEnd(ready(task));
    expect([await standings(), writes.count]).toEqual([['settled'], 2]);
    await ledger.writeEnd(ready(task));
    expect(writes.count).toBe(2);
  });
});

describe('The ledger at the start', () => {
  it('A reservation without its task is refunded, and one of a live task stays open', async () => {
    const { ledger, open, standings, left } = await createFixture({ day: { amount: '2' } });
    const [live, gone] = [priced({ id: 'a' }), priced({ id: 'b' })];
    await ledger.reserve(live);
    await ledger.reserve(gone);
    const next = open();
    await next.open([live]);
    expect([await standings(), left()]).toEqual([['reserved', 'refunded'], '1.5']);
    next.onTaskChange(ready(live));
    await next.flush();
    expect(await standings()).toEqual(['settled', 'refunded']);
  });

  it('The day of the oldest open request is remembered, and moved back before a decision about an older one', async () => {
    const { open, store, clock, ledger } = await createFixture();
    clock.advance(10 * DAY_MS);
    await open().open([]);
    expect(await store.entries.openSince()).toBe('2026-01-11');
    await open().open([priced({ times: { created: start + 4 * DAY_MS } })]);
    expect(await store.entries.openSince()).toBe('2026-01-05');
    await ledger.expectDecision(priced({ times: { created: start + 5 * DAY_MS } }));
    expect(await store.entries.openSince()).toBe('2026-01-05');
    await ledger.expectDecision(priced({ times: { created: start + 2 * DAY_MS } }));
    expect(await store.entries.openSince()).toBe('2026-01-03');
  });

  it('Entries from before the open requests are counted, but not compared with their tasks', async () => {
    const { ledger, open, clock, standings, left, store } = await createFixture({ month: { amount: '2' } });
    await ledger.reserve(priced());
    clock.advance(10 * DAY_MS);
    await store.entries.setOpenSince('2026-01-11');
    await open().open([]);
    expect([await standings(), left()]).toEqual([['reserved'], '1.5']);
  });

  it('A decision that was stored before a crash is taken over from the task', async () => {
    const { ledger, open, store, standings } = await createFixture();
    const task = priced();
    await ledger.reserve(task);
    const lost = markUnconfirmed(task, undefined, start);
    ledger.onTaskChange(lost);
    await ledger.flush();
    await store.put(markDelivered(markDismissed(lost, start), undefined, start));
    await open().open([]);
    expect(await standings()).toEqual(['settled']);
  });

  it('Sums that were not counted are counted when a limit needs them', async () => {
    const { ledger, spending } = await createFixture({ day: { amount: '1' } });
    await ledger.reserve(priced());
    const limits = [{ month: { amount: '5' } }];
    expect(spending?.needsCount(limits)).toBe(true);
    await ledger.countFor(limits);
    expect(spending?.needsCount(limits)).toBe(false);
    const { key } = spending?.spans.month ?? {};
    const uses = spending?.createReset(`member ${GUILD} ${MEMBER}`).uses;
    expect(uses?.[key ?? '']?.['']).toEqual({ tasks: 1, amount: '0.5' });
  });
});

describe('What the ledger tells', () => {
  const entry = (id: string, at: number, changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
    id,
    at,
    memberId: MEMBER,
    guildId: GUILD,
    kind: 'imagine',
    facts: [{ standing: 'reserved', at, amount: '0.5' }],
    ...changes,
  });
  const unconfirmed = (at: number): LedgerEntry['facts'] => [{ standing: 'unconfirmed', at }];

  async function withEntries(...entries: LedgerEntry[]) {
    const fixture = await createFixture({ day: { amount: '9' } });
    for (const one of entries) await fixture.store.entries.change(entryKey(one), () => one);
    return fixture;
  }

  it('Unknown outcomes are those after the first moment and until the last', async () => {
    const { ledger } = await withEntries(
      entry('a', start, { facts: unconfirmed(start) }),
      entry('b', start + 1, { facts: unconfirmed(start) }),
      entry('c', start + 2, { facts: unconfirmed(start) }),
      entry('d', start + 3, { facts: unconfirmed(start) }),
      entry('e', start + 2),
    );
    const found = await Array.fromAsync(ledger.unconfirmedEntries(start, start + 2));
    expect(found.map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it('A member gets their own entries until the request', async () => {
    const { ledger } = await withEntries(
      entry('a', start),
      entry('b', start, { memberId: 'another' }),
      entry('c', start + 5),
      entry('d', start + 6),
    );
    const own = await Array.fromAsync(ledger.allEntriesOf(MEMBER, start + 5));
    expect(own.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('Usage is not counted for what was refunded, nor for the member whose result was refused', async () => {
    const { ledger } = await withEntries(
      entry('a', start, { facts: [{ standing: 'refunded', at: start }] }),
      entry('b', start, { facts: [{ standing: 'waived', at: start, amount: '0.4' }] }),
    );
    expect(await ledger.queryUsage({ range: DAYS })).toMatchObject([{ state: 'waived', amount: '0.4', count: 1 }]);
    expect(await ledger.queryUsage({ range: DAYS, memberId: MEMBER })).toEqual([]);
  });

  it('Entries of an erased member stay in the sums without a name, except those of open and kept tasks', async () => {
    const fixture = await withEntries(entry('a', start), entry('b', start), entry('c', start, { memberId: 'another' }));
    const { ledger, allEntries, open, left } = fixture;
    await ledger.reserve(priced({ id: 'open' }));
    const request = { memberId: MEMBER, until: start + 10, secret: 'a-secret' };
    expect(await ledger.anonymise(request, async (id) => id === 'b')).toBe(2);
    const named = (await allEntries()).filter(({ memberId }) => memberId === MEMBER).map(({ id }) => id);
    expect(named).toEqual(['b', 'open']);
    expect((await allEntries()).filter(({ memberId }) => memberId === undefined)).toHaveLength(1);
    await open().open([priced({ id: 'open' }), priced({ id: 'b' })]);
    // Without the kept sums, only the two named entries would count.
    const [anonymous] = (await allEntries()).filter(({ memberId }) => memberId === undefined);
    expect((await fixture.store.entries.keptScopes()).get(entryKey(anonymous ?? entry('x', 0)))).toHaveLength(3);
    expect(left()).toBe('8.0');
  });
});
