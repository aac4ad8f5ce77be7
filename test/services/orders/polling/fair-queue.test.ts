import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../src/services/orders/polling/lane-state.ts';

interface QueueItem {
  readonly group: string;
}

const stepArbitrary = fc.oneof(
  fc.record({ do: fc.constant('add' as const), group: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({ do: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ do: fc.constant('next' as const) }),
);

describe('Turns in the fair queue', () => {
  it('Turns in the fair queue alternate between groups and keep the order within them, while tasks come and go', () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 200 }), (steps) => {
        const queue = new FairQueue<QueueItem>();
        /** The same queue as plain lists: groups in the order of their turns. */
        let model: QueueItem[][] = [];
        for (const one of steps) {
          if (one.do === 'add') {
            const item = { group: one.group };
            const group = model.find(([first]) => first?.group === one.group);
            if (group) group.push(item);
            else model.push([item]);
            queue.add(item);
          } else if (one.do === 'remove') {
            const items = model.flat();
            const item = items[one.which % Math.max(1, items.length)];
            if (item) queue.remove(item);
            model = model.map((group) => group.filter((other) => other !== item)).filter((group) => group.length > 0);
          } else {
            const [group = [], ...others] = model;
            const [item, ...rest] = group;
            expect(queue.takeNext()).toBe(item);
            model = rest.length > 0 ? [...others, rest] : others;
          }
          expect(queue.size).toBe(model.flat().length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
