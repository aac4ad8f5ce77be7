import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Agenda } from '../../../src/services/polling/agenda.ts';

interface AgendaItem {
  slot: number;
  moment: number;
}

const stepArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), moment: fc.integer({ min: 0, max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take' as const), now: fc.integer({ min: 0, max: 20 }) }) },
);

describe('The agenda', () => {
  it('The agenda returns due items, the earliest first and simultaneous ones in the order of their addition, after any additions and removals', () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 200 }), (steps) => {
        const agenda = new Agenda<AgendaItem>();
        /** The expected content of the agenda: a list that is sorted after each addition. */
        let model: AgendaItem[] = [];
        for (const one of steps) {
          if (one.do === 'add') {
            const item = { slot: -1, moment: one.moment };
            agenda.add(item, one.moment);
            model = [...model, item].sort((a, b) => a.moment - b.moment);
          } else if (one.do === 'remove') {
            const item = model[one.which % Math.max(1, model.length)];
            if (item) agenda.remove(item);
            model = model.filter((other) => other !== item);
          } else {
            const due = model[0] && model[0].moment <= one.now ? model[0] : undefined;
            expect(agenda.takeDue(one.now)).toBe(due);
            if (due) model = model.slice(1);
          }
          expect(agenda.next).toBe(model[0]?.moment ?? Number.POSITIVE_INFINITY);
        }
        for (const item of model) expect(agenda.takeDue(20)).toBe(item);
        expect(agenda.takeDue(20)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
