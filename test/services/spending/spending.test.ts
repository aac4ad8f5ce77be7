import { describe, expect, it } from 'vitest';
import { createEntry } from '../../../src/services/ledger/entry.ts';
import { withLimits } from '../../../src/services/spending/budget-changes.ts';
import { Budgets } from '../../../src/services/spending/budgets.ts';
import type { Limits } from '../../../src/services/spending/limits.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createStoreFixture, makeTask, START } from '../store/store-fixture.ts';
import { createSpending, emptyStore } from './scene.ts';

const clock = new ManualClock(Date.parse('2026-03-18T12:00:00Z'));
const countStart = (member: Limits): string => {
  const settings = { total: {}, server: {}, direct: {}, member };
  const spending = createSpending({ settings, clock });
  return new Date(spending.beginCount().since).toISOString();
};

describe('Counting at start', () => {
  it('At start, entries are counted from the period before the current one, for the longest period with a limit', () => {
    expect(countStart({ day: { tasks: 1 } })).toBe('2026-03-17T00:00:00.000Z');
    expect(countStart({ day: { tasks: 1 }, kinds: { video: { week: { amount: '5' } } } })).toBe(
      '2026-03-09T00:00:00.000Z',
    );
    expect(countStart({ month: { amount: '5' } })).toBe('2026-02-01T00:00:00.000Z');
    expect(countStart({ atOnce: 3 })).toBe('2026-03-18T12:00:00.000Z');
  });
});

describe('The start of a limit', () => {
  const GUILD = 'den';
  const noSettings = { total: {}, server: {}, direct: {}, member: {} };
  const limits: Limits = { month: { amount: '100' } };
  const at = (day: string): number => Date.parse(`${day}T12:00:00Z`);

  /** A server that used $180 on 10 February. `limited` sets its limits. */
  async function serverWith(limited: (budgets: Budgets) => Promise<unknown>, settingsSince?: number) {
    const clock = new ManualClock(at('2026-02-10'));
    const budgets = new Budgets({ store: emptyStore, hashOf: (name) => name });
    const server = settingsSince === undefined ? {} : limits;
    const spending = createSpending({
      ...{ clock, budgets, trustedGuildIds: [GUILD] },
      settings: { ...noSettings, server, total: { month: {} } },
      settingsSince: () => settingsSince ?? 0,
    });
    const estimate = { amount: '180', source: 'operator' as const, at: 0 };
    const used = makeTask({ guildId: GUILD, estimate, times: { created: clock.now() } });
    await limited(budgets);
    spending.replace(undefined, createEntry(used));
    const leftOn = (day: string): string | undefined => {
      clock.advance(at(day) - clock.now());
      return spending.serverAllowances(GUILD)[0]?.left;
    };
    return { budgets, leftOn };
  }
  const setLimits = (day: string, value: Limits | undefined) => (budgets: Budgets) =>
    budgets.change(GUILD, (budget) => withLimits(budget, { type: 'server' }, value, { by: 'admin', at: at(day) }));

  it('What a server used before its first limit is not counted as beyond it', async () => {
    const { leftOn } = await serverWith(setLimits('2026-03-05', limits));
    expect(leftOn('2026-03-05')).toBe('100');
  });

  it('What a server used beyond a limit that applied in the whole month counts against the next month', async () => {
    const { leftOn } = await serverWith(setLimits('2026-01-20', limits));
    expect(leftOn('2026-03-05')).toBe('20');
    expect(leftOn('2026-04-01')).toBe('100');
  });

  it('After the limits of a server are removed, the default of the operator begins', async () => {
    const generous = { month: { amount: '1000' } };
    const { budgets, leftOn } = await serverWith(setLimits('2026-01-20', generous), at('2026-01-01'));
    await setLimits('2026-03-05', undefined)(budgets);
    expect(leftOn('2026-03-05')).toBe('100');
  });

  it('A default of the operator begins when the bot first starts with it', async () => {
    const none = async (): Promise<void> => undefined;
    expect((await serverWith(none, at('2026-03-01'))).leftOn('2026-03-05')).toBe('100');
    expect((await serverWith(none, at('2026-01-01'))).leftOn('2026-03-05')).toBe('20');
  });

  it('A start with the same limits keeps their beginning, and one with others replaces it', async () => {
    const setup = createStoreFixture();
    const startWith = async (server: Limits): Promise<number[]> => {
      const store = (await setup.open()) as StoredTasks;
      const starts = await store.limitStarts({ ...noSettings, server });
      await store.close();
      return [starts.server.at, starts.member.at].map((time) => time - START);
    };
    expect(await startWith(limits)).toEqual([0, 0]);
    setup.clock.advance(5);
    expect(await startWith(limits)).toEqual([0, 0]);
    expect(await startWith({ day: { tasks: 3 } })).toEqual([5, 0]);
  });
});
