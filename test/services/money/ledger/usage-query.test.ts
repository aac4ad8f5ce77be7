import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryKey, type LedgerEntry, type Standing } from '../../../../src/services/money/entry.ts';
import type { UsageQuery } from '../../../../src/services/money/usage-query.ts';
import { DAY_MS, START } from '../../store/store-fixture.ts';
import { type BotRun, startBot } from './bot-run.ts';

let lastId = 0;

interface EntryOptions extends Partial<LedgerEntry> {
  standing?: Standing;
  estimate?: string | undefined;
  reported?: string | undefined;
}

function makeEntry({ standing = 'settled', estimate, reported, ...overrides }: EntryOptions = {}): LedgerEntry {
  lastId += 1;
  const at = overrides.at ?? START;
  const lastFact = { standing, at, amount: reported };
  const facts = [
    { standing: 'reserved' as const, at, amount: estimate },
    ...(standing === 'reserved' ? [] : [lastFact]),
  ];
  return {
    id: `t${String(lastId).padStart(6, '0')}`,
    at,
    memberId: 'ann',
    guildId: 'den',
    kind: 'imagine',
    facts,
    ...overrides,
  };
}

async function startBotWith(entries: readonly LedgerEntry[]): Promise<BotRun> {
  const bot = await startBot();
  for (const entry of entries) await bot.store.entries.change(entryKey(entry), () => entry);
  return bot;
}

const ALL_DAYS: UsageQuery['range'] = { start: '2000-01-01', end: '2099-12-31' };
const queryUsage = ({ ledger }: BotRun, query: Partial<UsageQuery> = {}) =>
  ledger.queryUsage({ range: ALL_DAYS, ...query });

describe('The usage query', () => {
  it('The usage query splits usage by day, member, kind, model and state, with separate reported and estimated amounts', async () => {
    const bot = await startBotWith([
      makeEntry({ reported: '1.10', estimate: '9' }),
      makeEntry({ reported: '2.2' }),
      makeEntry({ estimate: '0.05' }),
      makeEntry({}),
      makeEntry({ model: 'm' }),
      makeEntry({ memberId: 'bob' }),
      makeEntry({ memberId: undefined, channelId: undefined, reported: '7' }),
      makeEntry({ standing: 'reserved', estimate: '0.05' }),
      makeEntry({ standing: 'unconfirmed', estimate: '0.05' }),
      makeEntry({ standing: 'refunded', estimate: '0.05' }),
      makeEntry({ at: START + DAY_MS }),
      makeEntry({ at: START + DAY_MS, roleIds: ['artists'] }),
    ]);
    const day = '2026-01-01';
    const ann = {
      day,
      memberId: 'ann',
      roleIds: [],
      type: 'imagine',
      model: undefined,
      count: 1,
      isEstimate: false,
    } as const;
    const settled = { ...ann, amount: undefined, state: 'settled' } as const;
    expect(await queryUsage(bot)).toEqual([
      { ...settled, count: 2, amount: '3.30', compared: { count: 1, estimate: '9', cost: '1.10' } },
      { ...settled, amount: '0.05', isEstimate: true },
      settled,
      { ...settled, model: 'm' },
      { ...settled, memberId: 'bob' },
      { ...settled, memberId: undefined, amount: '7' },
      { ...ann, amount: '0.05', isEstimate: true, state: 'open' },
      { ...ann, amount: '0.05', isEstimate: true, state: 'unconfirmed' },
      { ...settled, day: '2026-01-02' },
      { ...settled, day: '2026-01-02', roleIds: ['artists'] },
    ]);
  });

  it('The usage query can be limited to a member, a server, or both', async () => {
    const bot = await startBotWith([
      makeEntry(),
      makeEntry({ memberId: 'bob' }),
      makeEntry({ guildId: 'lair' }),
      makeEntry({ guildId: undefined }),
    ]);
    const count = async (query: Partial<UsageQuery>): Promise<number> =>
      (await queryUsage(bot, query)).reduce((sum, group) => sum + group.count, 0);
    expect(await count({})).toBe(4);
    expect(await count({ memberId: 'ann' })).toBe(3);
    expect(await count({ guildId: 'den' })).toBe(2);
    expect(await count({ guildId: 'den', memberId: 'bob' })).toBe(1);
    expect(await count({ memberId: 'nobody' })).toBe(0);
  });

  it('The usage query covers the requested days from the first moment to the last', async () => {
    const last = START + DAY_MS - 1;
    const bot = await startBotWith([START - 1, START, last, last + 1].map((at) => makeEntry({ at })));
    const days = async (start: string, end: string): Promise<string[]> =>
      (await queryUsage(bot, { range: { start, end } })).map(({ day, count }) => `${day} ${count}`);
    expect(await days('2026-01-01', '2026-01-01')).toEqual(['2026-01-01 2']);
    expect(await days('2025-12-31', '2026-01-02')).toEqual(['2025-12-31 1', '2026-01-01 2', '2026-01-02 1']);
    expect(await days('2026-01-02', '2026-01-01')).toEqual([]);
    expect(await days('2026-01-03', '2026-01-31')).toEqual([]);
  });

  it('The usage query counts every entry, however many there are', async () => {
    const bot = await startBotWith(Array.from({ length: 2_000 }, () => makeEntry({ reported: '0.1' })));
    expect(await queryUsage(bot)).toMatchObject([{ count: 2_000, amount: '200.0' }]);
  });

  it('The usage query sums amounts exactly', async () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,29}$/);
    const decimals = fc.stringMatching(/^\d{1,30}$/);
    const amounts = fc.array(fc.tuple(digits, decimals), { minLength: 1, maxLength: 40 });
    const places = 30;
    await fc.assert(
      fc.asyncProperty(amounts, async (parts) => {
        const bot = await startBotWith(
          parts.map(([whole, fraction]) => makeEntry({ reported: `${whole}.${fraction}` })),
        );
        const sum = parts.reduce(
          (total, [whole, fraction]) => total + BigInt(whole + fraction.padEnd(places, '0')),
          0n,
        );
        const [group] = await queryUsage(bot);
        const [whole = '', fraction = ''] = (group?.amount ?? '').split('.');
        expect(BigInt(whole + fraction.padEnd(places, '0'))).toBe(sum);
        expect(fraction).toHaveLength(Math.max(...parts.map(([, decimal]) => decimal.length)));
        await bot.stop();
      }),
      { numRuns: 15 },
    );
  });
});
