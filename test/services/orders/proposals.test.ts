import { describe, expect, it } from 'vitest';
import { Proposals } from '../../../src/services/orders/proposals.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { createStoreFixture } from '../store/store-fixture.ts';
import { ordersSources } from './sources.ts';

const orders = [{ kind: 'imagine' as const, request: { prompt: 'a fox' } }];
const minute = 60_000;

async function createFixture() {
  const setup = createStoreFixture();
  const store = (await setup.open()) as StoredTasks;
  const bound: { isUpperBound?: true } = {};
  const price = { current: '0.10' as string | undefined };
  const sources = ordersSources(setup, store, {
    estimateOf: () =>
      price.current === undefined ? undefined : { amount: price.current, source: 'operator', at: 0, ...bound },
  });
  await sources.money.budgets.change('den', (budget) => ({ ...budget, confirmAbove: '0.10' }));
  const { money, discord, partition } = sources;
  const proposals = new Proposals(store.proposals, money, discord, partition, setup.clock);
  return { clock: setup.clock, store, proposals, price, bound };
}

describe('Proposals', () => {
  it('A proposal can be accepted once, by its owner, within 15 minutes', async () => {
    const { proposals, clock, store } = await createFixture();
    const { id } = await proposals.create({ memberId: 'member', orders });
    await expect(proposals.take(id, 'other')).rejects.toMatchObject({ key: 'refusals.notYours' });
    const attempts = await Promise.allSettled([proposals.take(id, 'member'), proposals.take(id, 'member')]);
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const expiredProposal = await proposals.create({ memberId: 'member', orders });
    expect(proposals.hasExpired(expiredProposal)).toBe(false);
    clock.advance(15 * minute);
    expect(proposals.hasExpired(await proposals.take(expiredProposal.id, 'member'))).toBe(true);
    await store.close();
  });

  it('A refused proposal can be put back, and keeps its expiry time', async () => {
    const { proposals, clock, store } = await createFixture();
    const { id } = await proposals.create({ memberId: 'member', orders });
    clock.advance(14 * minute);
    await proposals.putBack(await proposals.take(id, 'member'));
    expect(await proposals.findByMember('member')).toHaveLength(1);
    clock.advance(minute);
    expect(proposals.hasExpired(await proposals.take(id, 'member'))).toBe(true);
    await store.close();
  });

  it('A proposal whose orders were submitted in part keeps the others, at their own price', async () => {
    const { proposals, store } = await createFixture();
    const both = await proposals.create({ memberId: 'member', orders: [...orders, ...orders] });
    await proposals.putBack(await proposals.take(both.id, 'member'), orders);
    expect(await proposals.findByMember('member')).toEqual([{ ...both, orders, price: '0.10' }]);
    await proposals.putBack(await proposals.take(both.id, 'member'), []);
    expect(await proposals.findByMember('member')).toEqual([]);
    await store.close();
  });

  it('A proposal reports whether its price has risen since its owner was asked to confirm it', async () => {
    const { proposals, price, store } = await createFixture();
    const proposal = await proposals.create({ memberId: 'member', orders: [...orders, ...orders] });
    expect(proposal.price).toBe('0.20');
    for (const [currentPrice, hasRisen] of [
      ['0.10', false],
      ['0.09', false],
      [undefined, false],
      ['0.11', true],
    ] as const) {
      price.current = currentPrice;
      expect(proposals.hasRisen(proposal)).toBe(hasRisen);
    }
    await store.close();
  });

  it('A confirmation is only required for a known price above the limit of the server', async () => {
    const { proposals, price, store } = await createFixture();
    const [order] = orders;
    if (!order) throw new Error('There is no order.');
    for (const [currentPrice, limit] of [
      ['0.10', undefined],
      ['0.1000001', '0.10'],
      [undefined, undefined],
    ] as const) {
      price.current = currentPrice;
      expect(proposals.limitExceededBy(order, 'den')).toBe(limit);
      expect(proposals.limitExceededBy(order, undefined)).toBeUndefined();
    }
    await store.close();
  });

  it('Erasure removes what a member was asked until then, and tells which messages were deleted', async () => {
    const { proposals, clock, store } = await createFixture();
    const question = { channelId: 'studio', id: '1' };
    const { id } = await proposals.create({ memberId: 'member', orders });
    await proposals.recordMessage(id, question);
    await proposals.create({ memberId: 'other', orders });
    clock.advance(20 * minute);
    const end = clock.now();
    clock.advance(minute);
    const later = await proposals.create({ memberId: 'member', orders });
    expect(await proposals.erase('member', end, async () => false)).toBe(false);
    expect(await proposals.findByMember('member')).toHaveLength(2);
    const removals: unknown[] = [];
    const record = async (...removal: unknown[]) => removals.push(removal) > 0;
    expect(await proposals.erase('member', end, record)).toBe(true);
    expect(removals).toEqual([[question, 'gone']]);
    expect(await proposals.findByMember('member')).toEqual([later]);
    expect(await proposals.findByMember('other')).toHaveLength(1);
    await store.close();
  });

  it('The price of a proposal is an upper bound if that of one order is', async () => {
    const { proposals, bound, store } = await createFixture();
    expect(await proposals.create({ memberId: 'member', orders })).not.toHaveProperty('isUpperBound', true);
    bound.isUpperBound = true;
    expect(await proposals.create({ memberId: 'member', orders })).toMatchObject({ isUpperBound: true });
    await store.close();
  });
});
