import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { actionOrder } from '../../../src/commands/imagine/follow-ups.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { GatewayError } from '../../../src/services/gateway/index.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { isLive, type Task } from '../../../src/services/tasks/task.ts';
import { type Engine, engine } from './engine.ts';
import { minute, order } from './made.ts';

/** The task once its result is ready. */
const ready = ({ news, until }: Engine, id: string): Promise<Task> =>
  until(() => news.findLast((task) => task.id === id && task.state === 'ready'));

const submitsAt = ({ gateway }: Engine): number => gateway.heard.filter(({ path }) => path.includes('/submit/')).length;

/** Locks the store as another program would, so that the bot cannot write; returns the function that unlocks it. */
function busy({ file }: Engine): () => void {
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

describe('An order', () => {
  it('A request is stored before it is submitted', async () => {
    const fixture = await engine();
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'hang' });
    const submitted = fixture.tasks.orders.submit(order);
    await fixture.until(() => (submitsAt(fixture) === 1 ? true : undefined));
    const [stored] = await fixture.store.live();
    expect(stored).toMatchObject({ state: 'submitting', request: { prompt: 'a fox' } });
    expect((await submitted).state).toBe('unconfirmed');
  });

  it('A request is never submitted when it cannot be stored', async () => {
    const fixture = await engine();
    const free = busy(fixture);
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ kind: 'locked' });
    free();
    expect(submitsAt(fixture)).toBe(0);
    expect(fixture.tasks.book.liveCount).toBe(0);
    expect((await fixture.tasks.orders.submit({ ...order, request: { prompt: 'another' } })).state).toBe('accepted');
  });

  it('A request is not lost if the gateway has accepted it but the store fails afterwards', async () => {
    const fixture = await engine();
    const taken = Promise.withResolvers<() => void>();
    fixture.gateway.jobs.once('change', () => taken.resolve(busy(fixture)));
    const task = await fixture.tasks.orders.submit(order);
    const free = await taken.promise;
    expect(task.state).toBe('accepted');
    expect(fixture.logged()).toContain('could not write a task');
    free();
    await fixture.until(() => (fixture.logged().includes('has now written the task') ? true : undefined));
    expect(await fixture.store.get(task.id)).toMatchObject({ remoteId: task.remoteId });
    expect((await ready(fixture, task.id)).media).toHaveLength(1);
    expect(submitsAt(fixture)).toBe(1);
  });

  it('A request leaves nothing behind when it is refused', async () => {
    const fixture = await engine();
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'quota' });
    await expect(fixture.tasks.orders.submit(order)).rejects.toBeInstanceOf(GatewayError);
    expect(await fixture.store.live()).toEqual([]);
    expect(await fixture.store.page({ of: { memberId: order.requesterId }, max: 10 })).toEqual({
      summaries: [],
      next: undefined,
    });
    expect(fixture.news).toEqual([]);
  });

  it('A request is unconfirmed if the bot stops during the submit, because the gateway may have accepted it', async () => {
    const fixture = await engine();
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-hang' });
    const submitted = fixture.tasks.orders.submit(order);
    await fixture.until(() => fixture.gateway.jobs.list()[0]);
    await fixture.stop();
    expect((await submitted).state).toBe('unconfirmed');
    const next = await engine({}, fixture);
    expect(next.news.map(({ state }) => state)).toEqual(['unconfirmed']);
    expect(submitsAt(next)).toBe(1);
  });

  it('A request counts as a duplicate only for a moment', async () => {
    const fixture = await engine();
    await fixture.tasks.orders.submit(order);
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    fixture.clock.advance(3_000);
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A failed order can be repeated immediately', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    const failure = { cause: 'failed' as const };
    await fixture.tasks.book.change(id, (task) => ({ ...task, state: 'failed', failure }));
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    fixture.clock.advance(3_000);
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request whose result is shown can be repeated immediately', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    await fixture.tasks.book.change(id, (task) => ({ ...task, state: 'ready' }));
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    await fixture.tasks.book.change(id, (task) => markDelivered(task, undefined, fixture.clock.now()));
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request does not count as a duplicate for longer because the clock was set back', async () => {
    const fixture = await engine();
    await fixture.tasks.orders.submit(order);
    fixture.clock.setBack(3_600_000);
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    fixture.clock.advance(3_000);
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request that is tried again just before the bot stops is awaited and stored', async () => {
    const fixture = await engine();
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-reset' });
    const lost = await fixture.tasks.orders.submit(order);
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-hang' });
    const again = fixture.tasks.orders.tryAgain(lost.id, order);
    await fixture.until(() => (submitsAt(fixture) === 2 ? true : undefined));
    await fixture.stop();
    expect((await again).state).toBe('unconfirmed');
    const next = await engine({}, fixture);
    expect(next.news.find(({ id }) => id === lost.id)?.successorId).toBeDefined();
    expect(next.news.map(({ state }) => state)).toEqual(['unconfirmed', 'unconfirmed']);
    expect(next.logged()).not.toContain('"level":50');
  });

  it("An order is not sent when the gateway's client refuses its prompt", async () => {
    const fixture = await engine();
    await expect(fixture.tasks.orders.submit({ ...order, request: { prompt: '   ' } })).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(submitsAt(fixture)).toBe(0);
    expect(await fixture.store.live()).toEqual([]);
  });
});

describe('A running task', () => {
  it('A running task reaches its result with everything that the specification requires', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    const task = await ready(fixture, id);
    expect(await fixture.store.get(id)).toMatchObject({
      id,
      remoteId: task.remoteId,
      request: { prompt: 'a fox' },
      times: { created: task.times.created },
      media: [{ address: expect.stringContaining('http') }],
    });
    const [duration] = await fixture.store.durations('imagine');
    expect(duration?.atMostMs).toBeGreaterThan(duration?.atLeastMs ?? Number.POSITIVE_INFINITY);
  });

  it('A running task is written only if a change has to survive a restart', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    await fixture.until(() => ((fixture.news.at(-1)?.progress ?? 0) > 20 ? true : undefined));
    const stored = await fixture.store.get(id);
    expect(stored?.state).toBe('running');
    expect(stored?.progress ?? 0).toBeLessThan(fixture.news.at(-1)?.progress ?? 0);
  });

  it('A running task is reported as overdue once, and loses its token once that has expired', async () => {
    const fixture = await engine();
    fixture.gateway.faults.add({ do: 'stick' });
    const { id } = await fixture.tasks.orders.submit(order);
    const late = await fixture.until(() => fixture.news.find((task) => task.times.overdue !== undefined));
    expect(late.times.overdue).toBeGreaterThanOrEqual(late.times.created + 5 * minute);
    await fixture.until(() => fixture.news.find((task) => task.route.token === undefined));
    expect((await fixture.store.get(id))?.route).not.toHaveProperty('token');
    expect(new Set(fixture.news.flatMap(({ times }) => times.overdue ?? [])).size).toBe(1);
  });

  it('A running task is polled immediately after a hint', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    fixture.gateway.jobs.finish(fixture.gateway.jobs.list()[0]?.id ?? '');
    await fixture.until(() => fixture.news.at(-1));
    const before = fixture.clock.now();
    fixture.tasks.scheduler.hint(id);
    const task = await ready(fixture, id);
    expect((task.times.ended ?? 0) - before).toBeLessThan(1_000);
  });

  it.each(['bad-gateway', 'server-error', 'reset', 'empty', 'half'] as const)(
    'A task that runs for 2.5 s is ready within 5 s of its end if one of its polls meets the fault %s',
    async (fault) => {
      for (const profile of ['spec', 'stock'] as const) {
        for (const after of [0, 1, 2]) {
          const fixture = await engine({ profile });
          const { id, remoteId } = await fixture.tasks.orders.submit(order);
          fixture.gateway.faults.add({ on: { path: /fetch|list/ }, do: fault, after });
          const endsAt = fixture.clock.now() + 2_500;
          await fixture.until(() => (fixture.clock.now() >= endsAt ? true : undefined));
          fixture.gateway.jobs.finish(remoteId ?? '');
          const task = await ready(fixture, id);
          expect((task.times.ended ?? Number.POSITIVE_INFINITY) - endsAt).toBeLessThan(5_000);
          await fixture.stop();
        }
      }
    },
  );

  it('A running task ends with the next response that can be stored, if its end could not be stored at first', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    await fixture.until(() => (fixture.news.at(-1)?.state === 'running' ? true : undefined));
    const free = busy(fixture);
    fixture.gateway.jobs.finish(fixture.gateway.jobs.list()[0]?.id ?? '');
    await fixture.until(() => (fixture.logged().includes('could not be stored') ? true : undefined));
    expect(fixture.news.at(-1)?.state).toBe('running');
    free();
    expect((await ready(fixture, id)).state).toBe('ready');
  });
});

describe('A start of the bot', () => {
  it('A start of the bot marks pending submits as unconfirmed, follows running tasks, and announces ended ones', async () => {
    const first = await engine();
    const running = await first.tasks.orders.submit(order);
    const done = await first.tasks.orders.submit({ ...order, request: { prompt: 'done' } });
    const told = await first.tasks.orders.submit({ ...order, request: { prompt: 'told' } });
    await ready(first, done.id);
    await ready(first, told.id);
    await first.tasks.book.change(told.id, (task) => markDelivered(task, undefined, first.clock.now()));
    await first.store.put({ ...running, id: 'submitting0000000', state: 'submitting', remoteId: undefined });
    await first.store.put({ ...running, id: 'running0000000000' });
    await first.kill();

    const second = await engine({}, first);
    const states = new Map(second.news.map((task) => [task.id, task.state]));
    expect(states.get('submitting0000000')).toBe('unconfirmed');
    expect(states.get(done.id)).toBe('ready');
    expect(states.has(told.id)).toBe(false);
    expect((await second.tasks.book.get(told.id))?.state).toBe('delivered');
    await ready(second, 'running0000000000');
    expect(submitsAt(second)).toBe(3);
  });

  it('A start of the bot spreads its polls over one interval', async () => {
    const first = await engine();
    const { id } = await first.tasks.orders.submit(order);
    await first.kill();
    const requestCount = first.gateway.heard.length;
    const second = await engine({}, first);
    const before = second.clock.now();
    await second.until(() => (second.gateway.heard.length > requestCount ? true : undefined));
    // The random numbers of the test are 0.5, so the delay is half of the interval.
    expect(second.clock.now() - before).toBeGreaterThanOrEqual(1_000);
    expect(isLive((await second.tasks.book.get(id)) as Task)).toBe(true);
  });
});

describe('A change of a task', () => {
  it('A change of a task is refused for an unknown task', async () => {
    const fixture = await engine();
    await expect(fixture.tasks.book.change('unknown', (task) => task)).rejects.toBeInstanceOf(Refusal);
  });

  it('A change of a task waits for the previous change', async () => {
    const fixture = await engine();
    fixture.gateway.faults.add({ do: 'stick' });
    const { id } = await fixture.tasks.orders.submit(order);
    const edits = (task: Task): Task => ({
      ...task,
      delivery: { ...task.delivery, progressEdits: task.delivery.progressEdits + 1 },
    });
    await Promise.all(Array.from({ length: 50 }, () => fixture.tasks.book.change(id, edits)));
    expect((await fixture.tasks.book.get(id))?.delivery.progressEdits).toBe(50);
  });
});

describe('A prompt for a task that is waiting for one', () => {
  const isModal = ({ path }: { path: string }): boolean => path.endsWith('/submit/modal');

  /** Requests a custom zoom, whose prompt is part of the order. */
  async function zoomed(before: (fixture: Engine) => void = () => undefined) {
    const side = await engine();
    const { id } = await side.tasks.orders.submit(order);
    const grid = await ready(side, id);
    await side.tasks.orders.submit({ ...order, ...actionOrder(grid, 0) });
    const single = await side.until(() => side.news.findLast((task) => task.parentId === id && task.state === 'ready'));
    before(side);
    const place = single.actions.findIndex(({ customId }) => customId.includes('CustomZoom'));
    const task = await side.tasks.orders.submit({
      ...order,
      ...actionOrder(single, place, { words: 'a fox --zoom 1.5' }),
    });
    return { side, id: task.id };
  }

  it('A prompt is sent once, and the task that is waiting for it reaches its result', async () => {
    const { side, id } = await zoomed();
    expect((await ready(side, id)).times.wordsTaken).toBeDefined();
    expect(side.gateway.heard.filter(isModal)).toHaveLength(1);
  });

  it('A prompt with an unknown outcome is not repeated by the bot, but may be repeated by its owner', async () => {
    const { side, id } = await zoomed(({ gateway }) => {
      gateway.faults.add({ on: { path: /modal$/ }, do: 'server-error' });
    });
    const lost = await side.until(() =>
      side.news.findLast((task) => task.id === id && task.times.wordsLost !== undefined),
    );
    expect(lost.state).toBe('needs-input');
    const later = side.clock.now() + 5 * minute;
    await side.until(() => (side.clock.now() > later ? true : undefined));
    expect(side.gateway.heard.filter(isModal)).toHaveLength(1);
    await side.tasks.words.give(id, order, { words: 'a fox --zoom 1.7' });
    await ready(side, id);
    expect(side.gateway.heard.filter(isModal)).toHaveLength(2);
  });

  it('A prompt is sent after a restart only if it was not sent before', async () => {
    const { side, id } = await zoomed(({ gateway }) => {
      gateway.faults.add({ on: { path: /modal$/ }, do: 'hang' });
    });
    await side.until(() => (side.gateway.heard.some(isModal) ? true : undefined));
    const sent = (await side.store.get(id)) as Task;
    await side.kill();
    const second = await engine({}, side);
    expect(second.news.some((task) => task.id === id)).toBe(true);
    await second.until(() => second.news.findLast((task) => task.id === id && task.times.wordsLost !== undefined));
    expect(second.gateway.heard.filter(isModal)).toHaveLength(1);
    const { wordsSent: _, ...times } = sent.times;
    await second.store.put({ ...sent, times });
    await second.kill();
    const third = await engine({}, second);
    await ready(third, id);
    expect(third.gateway.heard.filter(isModal)).toHaveLength(2);
  });
});

describe('A follow-up with an unknown outcome', () => {
  it('A follow-up with an unknown outcome keeps its parent when its owner tries again', async () => {
    const fixture = await engine();
    const { id } = await fixture.tasks.orders.submit(order);
    const grid = await ready(fixture, id);
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-reset' });
    const lost = await fixture.tasks.orders.submit({ ...order, ...actionOrder(grid, 0) });
    expect(lost.state).toBe('unconfirmed');
    const second = await fixture.tasks.orders.tryAgain(lost.id, order);
    expect(second).toMatchObject({ parentId: id, rootId: id, request: lost.request });
  });
});
