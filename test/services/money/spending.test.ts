import { describe, expect, it } from 'vitest';
import { withLimits } from '../../../src/services/money/budget-changes.ts';
import { Budgets, WHOLE_BOT } from '../../../src/services/money/budgets.ts';
import { createEntry } from '../../../src/services/money/entry.ts';
import type { Limits } from '../../../src/services/money/limits.ts';
import type { Spending } from '../../../src/services/money/spending.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createStoreFixture, makeTask, START } from '../store/store-fixture.ts';
import { createSpending, emptyStore } from './spending/fixture.ts';

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
    const budgets = new Budgets(emptyStore, (name) => name);
    const server = settingsSince === undefined ? {} : limits;
    const spending = createSpending({
      clock,
      budgets,
      trustedGuildIds: [GUILD],
      settings: { ...noSettings, server, total: { month: {} } },
      settingsSince: settingsSince ?? 0,
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

describe('Who may request', () => {
  const GUILD = 'den';
  const requester = { memberId: 'ann', guildId: GUILD, isDirect: undefined };
  const inDirectMessages = { memberId: 'ann', guildId: undefined, isDirect: undefined };
  const none = { total: {}, server: {}, direct: {}, member: {} };
  const hashOf = (name: string): string => name;
  const member = hashOf(`member ${GUILD} ann`);

  function createFixture(
    settings: Partial<Parameters<typeof createSpending>[0]['settings']> = {},
    options: object = {},
  ) {
    const clock = new ManualClock(Date.parse('2026-03-18T12:00:00Z'));
    const budgets = new Budgets(emptyStore, hashOf);
    const spending = createSpending({ clock, budgets, settings: { ...none, ...settings }, ...options });
    const used = (amount: string, changes: Parameters<typeof makeTask>[0] = {}) => {
      const estimate = { amount, source: 'operator' as const, at: 0 };
      return createEntry(makeTask({ guildId: GUILD, estimate, ...changes, times: { created: clock.now() } }));
    };
    return { clock, budgets, spending, used };
  }

  it('A pause of the bot, of the server and a block each have their own refusal', async () => {
    const { budgets, spending, clock } = createFixture();
    const until = clock.now() + 90_500;
    spending.checkNotBlocked(requester);
    await budgets.change(GUILD, (budget) => ({ ...budget, blocks: { [member]: { at: 0, until } } }));
    expect(() => spending.checkNotBlocked(requester)).toThrow(
      expect.objectContaining({ key: 'refusals.blocked.until', variables: { until: Math.ceil(until / 1_000) } }),
    );
    clock.advance(90_500);
    spending.checkNotBlocked(requester);
    await budgets.change(GUILD, (budget) => ({ ...budget, blocks: { [member]: { at: 0 } } }));
    expect(() => spending.checkNotBlocked(requester)).toThrow('refusals.blocked.always');
    await budgets.change(GUILD, (budget) => ({ ...budget, isPaused: true }));
    expect(() => spending.checkNotBlocked(requester)).toThrow('refusals.paused.server');
    spending.checkNotBlocked(inDirectMessages);
    spending.checkNotBlocked({ ...requester, isDirect: true });
    await budgets.change(WHOLE_BOT, (budget) => ({ ...budget, isPaused: true }));
    expect(() => spending.checkNotBlocked(inDirectMessages)).toThrow('refusals.paused.everywhere');
  });

  it('A limit for videos counts the videos of every endpoint, and one for a single endpoint only its own', async () => {
    const day = { day: { tasks: 1 } };
    const { spending, used } = createFixture({ server: { kinds: { video: day } } });
    const videoOf = (kind: 'video' | 'second-video') => used('1', { kind, request: { prompt: 'waves', model: 'm' } });
    await spending.admit(videoOf('second-video'), []);
    await expect(spending.admit(videoOf('video'), [])).rejects.toThrow('refusals.overBudget.operator');
    const narrow = createFixture({ server: { kinds: { 'second-video': day } } }).spending;
    await narrow.admit(videoOf('video'), []);
    await narrow.admit(videoOf('second-video'), []);
    await expect(narrow.admit(videoOf('second-video'), [])).rejects.toThrow('refusals.overBudget.operator');
  });

  it('A request within its limits is admitted and counted, and the next one is refused by its limit', async () => {
    const { spending, used } = createFixture({ member: { day: { amount: '1' } } });
    await spending.admit(used('0.6'), []);
    await expect(spending.admit(used('0.6'), [])).rejects.toMatchObject({ key: 'refusals.overBudget.member' });
    await spending.admit(used('0.4'), []);
    expect(spending.allowances(requester)[0]?.left).toBe('0');
  });

  it('A reservation that grows counts its growth alone, and is not a further task', async () => {
    const { spending, used } = createFixture({ member: { day: { amount: '1', tasks: 1 } } });
    const first = used('0.6');
    await spending.admit(first, []);
    const grownTo = (amount: string) => ({
      ...first,
      facts: [{ ...first.facts[0], standing: 'reserved' as const, at: 1, amount }],
    });
    await spending.admit(grownTo('1'), [], first);
    await expect(spending.admit(grownTo('1.1'), [], grownTo('1'))).rejects.toMatchObject({
      key: 'refusals.overBudget.member',
    });
    await expect(spending.admit(used('0'), [])).rejects.toThrow();
  });

  it('The limits of direct messages and of user installs are separate from those of the server', async () => {
    const { spending, used } = createFixture({ direct: { day: { tasks: 1 } }, member: { day: { tasks: 5 } } });
    await spending.admit(used('0', { guildId: undefined }), []);
    expect(() => spending.check(inDirectMessages, { kind: 'imagine', amount: undefined })).toThrow('overBudget.direct');
    expect(() => spending.check({ ...requester, isDirect: true }, { kind: 'imagine', amount: undefined })).toThrow(
      'overBudget.direct',
    );
    spending.check(requester, { kind: 'imagine', amount: undefined });
    expect(spending.allowances(requester).map(({ holder, left }) => [holder, left])).toEqual([['member', '5']]);
  });

  it('An erased member counts towards the bot alone, and a refused result not towards the member', () => {
    const { spending, used } = createFixture();
    const entry = used('1');
    const waived = { ...entry, facts: [...entry.facts, { standing: 'waived' as const, at: 1 }] };
    expect(spending.scopesOf(entry)).toEqual(['total', `server ${GUILD}`, member]);
    expect(spending.scopesOf(waived)).toEqual(['total', `server ${GUILD}`]);
    expect(spending.scopesOf({ ...entry, memberId: undefined })).toEqual(['total']);
    expect(spending.scopesOf({ ...entry, isDirect: true })).toEqual(['total', 'direct ann']);
    expect(spending.scopesOf({ ...waived, guildId: undefined })).toEqual(['total']);
  });

  it("The operator's limits of a server apply on top of its own, unless it is trusted", async () => {
    for (const trustedGuildIds of [[], [GUILD]]) {
      const { spending, budgets } = createFixture({ server: { day: { tasks: 3 } } }, { trustedGuildIds });
      expect(spending.serverAllowances(GUILD)).toMatchObject([{ holder: 'operator', limit: '3' }]);
      await budgets.change(GUILD, (budget) => ({ ...budget, serverLimits: { day: { tasks: 9 } } }));
      const own = { holder: 'server', limit: '9' };
      expect(spending.serverAllowances(GUILD)).toMatchObject(
        trustedGuildIds.length > 0 ? [own] : [{ holder: 'operator', limit: '3' }, own],
      );
      await budgets.change(GUILD, (budget) => ({ ...budget, operatorLimits: { day: { tasks: 2 } } }));
      expect(spending.serverAllowances(GUILD)).toMatchObject([{ holder: 'operator', limit: '2' }, own]);
    }
  });

  it('A grant to a server raises its own limit, and that of the operator only if the operator made it', async () => {
    const { spending, budgets, clock } = createFixture({ server: { day: { tasks: 3 } } });
    const grants = [
      { at: clock.now(), tasks: 1 },
      { at: clock.now(), tasks: 10, isOperators: true as const },
      { at: clock.now(), tasks: 100, to: member },
    ];
    await budgets.change(GUILD, (budget) => ({ ...budget, grants, serverLimits: { day: { tasks: 9 } } }));
    expect(spending.allowances(requester).map(({ holder, limit }) => [holder, limit])).toEqual([
      ['operator', '13'],
      ['server', '20'],
    ]);
    await budgets.change(GUILD, (budget) => ({ ...budget, memberLimits: { day: { tasks: 1 } } }));
    expect(spending.allowances(requester).at(-1)).toMatchObject({ holder: 'member', limit: '101' });
  });

  it('Use before a reset no longer counts', async () => {
    const { spending, budgets, used } = createFixture({ member: { day: { tasks: 2 } } });
    await spending.admit(used('0'), []);
    await budgets.change(GUILD, (budget) => ({ ...budget, resets: { [member]: spending.createReset(member) } }));
    expect(spending.allowances(requester)[0]?.left).toBe('2');
    await spending.admit(used('0'), []);
    expect(spending.allowances(requester)[0]?.left).toBe('1');
  });

  it('Listeners hear of every change of a server and of the limit that refused an order', async () => {
    const { spending, used } = createFixture({ server: { day: { tasks: 1 } }, direct: { day: { tasks: 0 } } });
    const heard: unknown[] = [];
    const refusals: unknown[] = [];
    spending.onUse((guildId, exceeded) => heard.push([guildId, exceeded?.holder]));
    spending.onRefusal(({ holder }) => refusals.push(holder));
    await spending.admit(used('0'), []);
    await expect(spending.admit(used('0'), [])).rejects.toThrow();
    expect(() => spending.check(inDirectMessages, { kind: 'imagine', amount: undefined })).toThrow();
    spending.replace(undefined, undefined);
    spending.replace(undefined, used('0', { guildId: undefined }));
    expect(heard).toEqual([
      [GUILD, undefined],
      [GUILD, 'operator'],
    ]);
    expect(refusals).toEqual(['operator', 'direct']);
  });

  it("A member's own limit that refuses an order is not reported to the server", async () => {
    const { spending, used } = createFixture({ member: { day: { tasks: 0 } } });
    const heard: unknown[] = [];
    spending.onUse((guildId) => heard.push(guildId));
    await expect(spending.admit(used('0'), [])).rejects.toThrow('overBudget.member');
    expect(heard).toEqual([]);
  });

  it('Not more tasks wait than the limits of member, server and bot allow', async () => {
    const counts = (all: number, server: number, own: number) => ({
      all: () => all,
      server: () => server,
      member: () => own,
    });
    const { spending } = createFixture({ member: { waiting: 1 }, server: { waiting: 2 }, total: { waiting: 3 } });
    await spending.checkWaiting(requester, counts(3, 2, 1));
    const refused = (key: string, count: number) => ({ key: `refusals.waiting.${key}`, variables: { count } });
    await expect(spending.checkWaiting(requester, counts(3, 2, 2))).rejects.toMatchObject(refused('member', 1));
    await expect(spending.checkWaiting(requester, counts(3, 3, 1))).rejects.toMatchObject(refused('operator', 2));
    await expect(spending.checkWaiting(requester, counts(4, 2, 1))).rejects.toMatchObject(refused('total', 3));
    const { spending: closed } = createFixture({ member: { waiting: 0 } });
    await expect(closed.checkWaiting(requester, counts(1, 1, 1))).rejects.toMatchObject({
      key: 'refusals.noneWaiting',
    });
    const { spending: unlimited } = createFixture();
    await unlimited.checkWaiting(requester, counts(99, 99, 99));
  });

  it('Limits of roles apply to the owner of a task only while their roles are known', async () => {
    const { spending, budgets } = createFixture({ member: { day: { tasks: 5 } } });
    const task = makeTask({ guildId: GUILD, requesterId: 'ann' });
    expect(spending.remainingFor(task)).toMatchObject([{ limit: '5' }]);
    await budgets.change(GUILD, (budget) => ({
      ...budget,
      roles: { artists: { limits: { day: { tasks: 7 }, weight: 3 } } },
    }));
    expect(spending.remainingFor(task)).toEqual([]);
    spending.check({ ...requester, roleIds: ['artists', 'others'] }, { kind: 'imagine', amount: undefined });
    expect(spending.remainingFor(task)).toMatchObject([{ limit: '7' }]);
    expect(spending.limitedRoles(task, ['artists', 'others', 'constructor'])).toEqual(['artists']);
    expect(spending.limitedRoles(makeTask({ guildId: GUILD, route: { install: 'user' } }), ['artists'])).toEqual([]);
    expect(spending.weightOf({ ...requester, roleIds: ['artists'] })).toBe(3);
    expect(spending.weightOf(requester)).toBeUndefined();
    expect(spending.weightOf({ ...inDirectMessages, roleIds: ['artists'] })).toBeUndefined();
  });

  it('The limits of a member name their source', async () => {
    const { spending, budgets } = createFixture({ member: { day: { tasks: 5 } } }, { settingsSince: 7 });
    expect(spending.limits.ofMember(GUILD, 'ann', [])).toEqual({
      limits: { day: { tasks: 5 } },
      since: 7,
      source: 'default',
    });
    expect(spending.limits.memberDefault).toEqual({ day: { tasks: 5 } });
    await budgets.change(GUILD, (budget) => ({ ...budget, changedAt: { members: 9 } }));
    expect(spending.limits.ofMember(GUILD, 'ann', []).since).toBe(9);
    await budgets.change(GUILD, (budget) => ({ ...budget, memberLimits: { day: { tasks: 6 } } }));
    expect(spending.limits.ofMember(GUILD, 'ann', [])).toMatchObject({ since: 9, source: 'members' });
  });

  it('Only limited periods are counted, and further ones on request', () => {
    const { spending, used } = createFixture({ member: { day: { tasks: 5 } } });
    expect(spending.needsCount([{ day: { amount: '1' } }])).toBe(false);
    expect(spending.needsCount([{ kinds: { imagine: { week: { tasks: 1 } } } }])).toBe(true);
    const recount = spending.beginCount([{ week: { tasks: 1 } }]);
    recount.add(used('1'));
    recount.add({ ...used('2'), memberId: undefined }, [member]);
    expect(spending.allowances(requester)[0]?.left).toBe('5');
    recount.finish();
    expect(spending.allowances(requester)[0]?.left).toBe('3');
    expect(spending.needsCount([{ week: { tasks: 1 } }])).toBe(false);
  });
});

describe('A bot in several partitions', () => {
  const requester = { memberId: 'ann', guildId: 'den', isDirect: undefined };

  function createFixture(total: Limits, { isComplete = true, waitingTasksElsewhere = 0, tasksElsewhere = 0 } = {}) {
    const clock = new ManualClock(Date.parse('2026-03-18T12:00:00Z'));
    const announced: unknown[] = [];
    const other = {
      isComplete,
      waitingTasksElsewhere,
      openTasksElsewhere: 0,
      usageElsewhere: () => ({ tasks: tasksElsewhere, amount: '0' }),
      async announce(isNeeded: () => boolean) {
        announced.push([isNeeded(), spending.totalUsage(4)]);
      },
    };
    const settings = { total, server: {}, direct: {}, member: {} };
    const spending: Spending = createSpending({ clock, settings, wholeBot: other });
    const used = () => createEntry(makeTask({ guildId: 'den', times: { created: clock.now() } }));
    return { spending, announced, used };
  }

  it('A reservation is announced to the others before it is counted', async () => {
    const { spending, announced, used } = createFixture({ day: { tasks: 2 }, atOnce: 3, waiting: 9 });
    await spending.admit(used(), []);
    const uses = { 'day 2026-03-18': { '': { tasks: 1, amount: '0' } } };
    expect(announced).toMatchObject([[true, { open: 1, waiting: 4, uses }]]);
    expect(spending.totalUsage(4)).toMatchObject({ open: 1, uses });
  });

  it('What is announced is only what the others need', async () => {
    const { spending } = createFixture({ day: { tasks: 2 }, kinds: { video: { week: { tasks: 1 } } } });
    const { open, waiting, uses } = spending.totalUsage(4);
    expect([open, waiting]).toEqual([undefined, undefined]);
    expect(Object.keys(uses)).toHaveLength(4);
    for (const kinds of Object.values(uses)) expect(Object.keys(kinds)).toEqual(['', 'video']);
  });

  it('Nothing is announced without a limit of the whole bot', async () => {
    const { spending, announced, used } = createFixture({});
    await spending.admit(used(), []);
    expect(announced).toEqual([]);
  });

  it('What the others use counts, and a refused order is no longer announced', async () => {
    const { spending, announced, used } = createFixture({ day: { tasks: 2 } }, { tasksElsewhere: 2 });
    await expect(spending.admit(used(), [])).rejects.toThrow('refusals.overBudget.total');
    expect(announced).toMatchObject([[false, {}]]);
    expect(spending.totalUsage(4).uses['day 2026-03-18']).toMatchObject({ '': { tasks: 0 } });
  });

  it('Orders are refused while the use of the others is unknown', async () => {
    const { spending, used } = createFixture({ day: { tasks: 2 }, waiting: 9 }, { isComplete: false });
    await expect(spending.admit(used(), [])).rejects.toThrow('refusals.totalUnknown');
    const counts = { all: () => 1, server: () => 1, member: () => 1 };
    await expect(spending.checkWaiting(requester, counts)).rejects.toThrow('refusals.totalUnknown');
  });

  it('The tasks that wait elsewhere count as well', async () => {
    const { spending, announced } = createFixture({ waiting: 9 }, { waitingTasksElsewhere: 5 });
    const counts = (all: number) => ({ all: () => all, server: () => 1, member: () => 1 });
    await spending.checkWaiting(requester, counts(4));
    await expect(spending.checkWaiting(requester, counts(5))).rejects.toMatchObject({ variables: { count: 9 } });
    expect(announced).toMatchObject([
      [true, {}],
      [false, {}],
    ]);
  });
});
