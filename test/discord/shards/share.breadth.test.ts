import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSurplus, findTakeable, hasSurplusShard } from '../../../src/services/cluster/shares.ts';

type Owners = Map<number, string>;

/** Carries out what a process does in one round. */
function takeTurn(self: string, { count, processes, owners }: { count: number; processes: string[]; owners: Owners }) {
  const shares = { count, workers: processes, owners };
  for (const id of findTakeable(shares, self)) owners.set(id, self);
  const last = hasSurplusShard(shares, self) ? findSurplus(shares, self).at(-1) : undefined;
  if (last !== undefined) owners.delete(last);
}

const clusters = fc.record({
  count: fc.integer({ min: 1, max: 40 }),
  processes: fc.integer({ min: 1, max: 8 }),
  // The initial owner of each shard; -1 means none.
  start: fc.array(fc.integer({ min: -1, max: 7 }), { minLength: 40, maxLength: 40 }),
  // The process that acts first, for each round.
  first: fc.array(fc.nat(), { minLength: 100, maxLength: 100 }),
});

describe('The share of a shard process', () => {
  it('Shards end up evenly distributed, regardless of their initial owners and of the order of the processes', () =>
    fc.assert(
      fc.property(clusters, ({ count, processes, start, first }) => {
        const names = Array.from({ length: processes }, (_, index) => `process ${index}`);
        const owners: Owners = new Map();
        for (let id = 0; id < count; id++) {
          const owner = names[start[id] ?? -1];
          if (owner !== undefined) owners.set(id, owner);
        }
        const shardCounts = () => names.map((name) => [...owners.values()].filter((owner) => owner === name).length);
        const isBalanced = () => owners.size === count && Math.max(...shardCounts()) - Math.min(...shardCounts()) <= 1;
        for (const turn of first) {
          const index = turn % processes;
          for (const name of [...names.slice(index), ...names.slice(0, index)])
            takeTurn(name, { count, processes: names, owners });
        }
        expect(isBalanced(), String(shardCounts())).toBe(true);
        const ownersBefore = new Map(owners);
        for (const name of names) takeTurn(name, { count, processes: names, owners });
        expect(owners).toEqual(ownersBefore);
      }),
      { numRuns: 500 },
    ));
});
