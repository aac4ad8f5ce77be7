import fc from 'fast-check';
import { describe, it } from 'vitest';
import { pause } from '../../../../src/lib/clock.ts';
import type { Lane, Trouble, Verdict } from '../../../../src/services/orders/polling/lane.ts';
import { runs } from '../../../support/runs.ts';
import { createFixture } from './fixture.ts';
import { expectWithinPollLimit } from './promise.ts';

/** Everything that can bring a poll forward. */
const event = fc.record({
  wait: fc.integer({ min: 0, max: 12_000 }),
  do: fc.constantFrom('hint' as const, 'add' as const, 'stop and start' as const, 'set the clock back' as const),
  task: fc.nat(),
});

const history = fc.record({
  max: fc.integer({ min: 1, max: 4 }),
  perSecond: fc.integer({ min: 1, max: 50 }),
  inFlight: fc.integer({ min: 1, max: 5 }),
  tasks: fc.array(fc.record({ at: fc.integer({ min: 0, max: 40_000 }) }), { minLength: 1, maxLength: 8 }),
  /** The gaps that verdicts ask for, which may be invalid. */
  gaps: fc.array(fc.integer({ min: -5_000, max: 20_000 }), { minLength: 1, maxLength: 8 }),
  outcomes: fc.array(
    fc.constantFrom<'answer' | 'partly' | 'throw' | Trouble['kind']>(
      'answer',
      'answer',
      'partly',
      'throw',
      'busy',
      'refused',
      'unreachable',
    ),
    { minLength: 1, maxLength: 12 },
  ),
  retryAfterMs: fc.constantFrom(undefined, 0, 1_500, 7_000),
  delays: fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 6 }),
  events: fc.array(event, { maxLength: 30 }),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('The poll limit of the scheduler', () => {
  it('The poll limit of the scheduler holds after any verdict, hint, addition, stop, refusal, delay or loss, and whenever the clock is set back', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (scenario) => {
        const { scheduler, time, machine, now, pass } = createFixture({
          limits: scenario,
          random: () => scenario.random,
        });
        const moments = new Map<string, number[]>();
        let turn = 0;
        async function poll(ids: readonly string[]): Promise<ReadonlyMap<string, Verdict> | Trouble> {
          const index = turn++;
          for (const id of ids)
            moments.set(id, [...(moments.get(id) ?? []), now() - (scenario.tasks[Number(id)]?.at ?? 0)]);
          await pause(time, scenario.delays[index % scenario.delays.length] ?? 0);
          const outcome = scenario.outcomes[index % scenario.outcomes.length];
          if (outcome === 'throw') throw new Error('a mistake');
          if (outcome === 'busy' || outcome === 'refused' || outcome === 'unreachable')
            return { kind: outcome, reason: 'trouble', retryAfterMs: scenario.retryAfterMs };
          const listed = outcome === 'partly' ? ids.slice(1) : ids;
          return new Map(
            listed.map((id) => [id, { again: machine.now() + (scenario.gaps[index % scenario.gaps.length] ?? 0) }]),
          );
        }
        const lane: Lane = { name: 'l', max: scenario.max, poll };
        const add = (id: string): void => scheduler.add({ id, lane, group: 'g', nextPollAt: machine.now() });
        scheduler.start();
        const additions = scenario.tasks.map(({ at: ms }, taskIndex) =>
          pause(time, ms).then(() => add(`${taskIndex}`)),
        );
        for (const one of scenario.events) {
          await pass(one.wait);
          const id = `${one.task % scenario.tasks.length}`;
          if (one.do === 'hint') scheduler.hint(id);
          else if (one.do === 'add' && moments.has(id)) add(id);
          else if (one.do === 'set the clock back') machine.set(-one.wait * 100);
          else if (one.do === 'stop and start') {
            const stopped = scheduler.stop();
            await pass(5_000);
            await stopped;
            scheduler.start();
          }
        }
        await pass(60_000);
        await Promise.all(additions);
        for (const pollTimes of moments.values()) expectWithinPollLimit(pollTimes, scenario);
        const stopped = scheduler.stop();
        await pass(5_000);
        await stopped;
      }),
      { numRuns: runs(400, 60) },
    );
  });
});
