import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, entryKey, type Standing } from '../../../src/services/ledger/entry.ts';
import type { UsageQuery } from '../../../src/services/ledger/ledger.ts';
import { DAY_MS, START } from '../store/stage.ts';
import { type Run, run } from './scene.ts';

let number = 0;

interface Made extends Partial<Entry> {
  standing?: Standing;
  estimate?: string | undefined;
  reported?: string | undefined;
}

function made({ standing = 'settled', estimate, reported, ...over }: Made = {}): Entry {
  number += 1;
  const at = over.at ?? START;
  const end = { standing, at, amount: reported };
  const facts = [{ standing: 'reserved' as const, at, amount: estimate }, ...(standing === 'reserved' ? [] : [end])];
  return {
    id: `t${String(number).padStart(6, '0')}`,
    at,
    memberId: 'ann',
    guildId: 'den',
    kind: 'imagine',
    facts,
    ...over,
  };
}

async function holding(entries: readonly Entry[]): Promise<Run> {
  const bot = await run();
  for (const entry of entries) await bot.store.entries.change(entryKey(entry), () => entry);
  return bot;
}

const always: UsageQuery['range'] = { start: '2000-01-01', end: '2099-12-31' };
const ask = ({ ledger }: Run, question: Partial<UsageQuery> = {}) => ledger.queryUsage({ range: always, ...question });

describe('The usage query', () => {
  it('The usage query splits usage by day, member, kind, model and state, with separate reported and estimated amounts', async () => {
    const bot = await holding([
      made({ reported: '1.10', estimate: '9' }),
      made({ reported: '2.2' }),
      made({ estimate: '0.05' }),
      made({}),
      made({ model: 'm' }),
      made({ memberId: 'bob' }),
      made({ memberId: undefined, channelId: undefined, reported: '7' }),
      made({ standing: 'reserved', estimate: '0.05' }),
      made({ standing: 'unconfirmed', estimate: '0.05' }),
      made({ standing: 'refunded', estimate: '0.05' }),
      made({ at: START + DAY_MS }),
      made({ at: START + DAY_MS, roleIds: ['artists'] }),
    ]);
    const day = '2026-01-01';
    const ann = {
      ...{ day, memberId: 'ann', roleIds: [], kind: 'imagine', model: undefined },
      ...{ count: 1, isEstimate: false },
    } as const;
    const settled = { ...ann, amount: undefined, state: 'settled' } as const;
    expect(await ask(bot)).toEqual([
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

  it('The usage query covers one member, one server or all', async () => {
    const bot = await holding([
      made(),
      made({ memberId: 'bob' }),
      made({ guildId: 'lair' }),
      made({ guildId: undefined }),
    ]);
    const count = async (question: Partial<UsageQuery>): Promise<number> =>
      (await ask(bot, question)).reduce((sum, use) => sum + use.count, 0);
    expect(await count({})).toBe(4);
    expect(await count({ memberId: 'ann' })).toBe(3);
    expect(await count({ guildId: 'den' })).toBe(2);
    expect(await count({ guildId: 'den', memberId: 'bob' })).toBe(1);
    expect(await count({ memberId: 'nobody' })).toBe(0);
  });

  it('The usage query covers the requested days from the first moment to the last', async () => {
    const last = START + DAY_MS - 1;
    const bot = await holding([START - 1, START, last, last + 1].map((at) => made({ at })));
    const days = async (start: string, end: string): Promise<string[]> =>
      (await ask(bot, { range: { start, end } })).map(({ day, count }) => `${day} ${count}`);
    expect(await days('2026-01-01', '2026-01-01')).toEqual(['2026-01-01 2']);
    expect(await days('2025-12-31', '2026-01-02')).toEqual(['2025-12-31 1', '2026-01-01 2', '2026-01-02 1']);
    expect(await days('2026-01-02', '2026-01-01')).toEqual([]);
    expect(await days('2026-01-03', '2026-01-31')).toEqual([]);
  });

  it('The usage query counts every entry, however many there are', async () => {
    const bot = await holding(Array.from({ length: 2_000 }, () => made({ reported: '0.1' })));
    expect(await ask(bot)).toMatchObject([{ count: 2_000, amount: '200.0' }]);
  });

  it('The usage query sums amounts exactly', async () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,29}$/);
    const decimals = fc.stringMatching(/^\d{1,30}$/);
    const amounts = fc.array(fc.tuple(digits, decimals), { minLength: 1, maxLength: 40 });
    const places = 30;
    await fc.assert(
      fc.asyncProperty(amounts, async (parts) => {
        const bot = await holding(parts.map(([whole, rest]) => made({ reported: `${whole}.${rest}` })));
        const sum = parts.reduce((so, [whole, rest]) => so + BigInt(whole + rest.padEnd(places, '0')), 0n);
        const [use] = await ask(bot);
        const [whole = '', rest = ''] = (use?.amount ?? '').split('.');
        expect(BigInt(whole + rest.padEnd(places, '0'))).toBe(sum);
        expect(rest).toHaveLength(Math.max(...parts.map(([, decimal]) => decimal.length)));
        await bot.stop();
      }),
      { numRuns: 15 },
    );
  });
});
