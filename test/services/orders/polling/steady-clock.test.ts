import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Clock, SteadyClock } from '../../../../src/lib/clock.ts';
import type { Lane } from '../../../../src/services/orders/polling/lane.ts';
import { Scheduler } from '../../../../src/services/orders/scheduler.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const hour = 3_600_000;
const limits = { perSecond: 50, inFlight: 24 };
const silentLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A system clock that can be set while its timers continue unchanged. */
class Machine implements Clock {
  readonly time = new ManualClock();
  #offsetMs = 0;

  now(): number {
    return this.time.now() + this.#offsetMs;
  }

  after(ms: number, task: () => void): () => void {
    return this.time.after(ms, task);
  }

  set(ms: number): void {
    this.#offsetMs += ms;
  }
}

describe('A machine clock that is set back', () => {
  it('A machine clock that is set back does not set the steady clock back, and times stay the same', () => {
    const machine = new Machine();
    const clock = new SteadyClock(machine);
    const timeBefore = clock.now();
    machine.set(-hour);
    expect(clock.now()).toBe(timeBefore);
    machine.time.advance(500);
    expect(clock.now()).toBe(timeBefore + 500);
    expect(clock.fromMachine(machine.now() + 7)).toBe(timeBefore + 507);
    expect(clock.toMachine(timeBefore + 507)).toBe(machine.now() + 7);
  });

  it('A machine clock that is set back delays no task: neither a waiting one, nor a new one, nor one that is polled again', async () => {
    const machine = new Machine();
    const startedAt = machine.time.now();
    const polls: [string | undefined, number][] = [];
    const scheduler = new Scheduler(machine, () => 0.5, silentLog, limits);
    const lane: Lane = {
      name: 'l',
      max: 1,
      poll: async (ids) => {
        polls.push([ids[0], machine.time.now() - startedAt]);
        return new Map(ids.map((id) => [id, { again: machine.now() + 10_000 }]));
      },
    };
    scheduler.start();
    scheduler.add({ id: 'waits', lane, group: 'g', nextPollAt: machine.now() + 1_000 });
    machine.set(-hour);
    scheduler.add({ id: 'comes', lane, group: 'g', nextPollAt: machine.now() + 1_500 });
    for (let turn = 0; turn < 25; turn += 1) {
      machine.time.advance(500);
      await turnOfTheLoop();
    }
    expect(polls).toEqual([
      ['waits', 1_000],
      ['comes', 1_500],
      ['waits', 11_000],
      ['comes', 11_500],
    ]);
    await scheduler.stop();
  });

  it('A machine clock that is set back does not distort the times of reported failures', async () => {
    const machine = new Machine();
    const scheduler = new Scheduler(machine, () => 0.5, silentLog, limits);
    const poll = async () => ({ kind: 'refused' as const, reason: 'The key is not valid.' });
    scheduler.start();
    scheduler.add({ id: 'a', lane: { name: 'l', max: 1, poll }, group: 'g', nextPollAt: machine.now() });
    machine.time.advance(0);
    await turnOfTheLoop();
    machine.set(-hour);
    expect(scheduler.troubles().map(({ since }) => since)).toEqual([machine.now()]);
    await scheduler.stop();
  });
});
