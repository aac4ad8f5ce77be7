import { describe, expect, it } from 'vitest';
import { kindsOf } from '../../../../src/commands/index.ts';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { type Gateway, GatewayError } from '../../../../src/services/gateway/index.ts';
import { standingOf } from '../../../../src/services/ledger/entry.ts';
import type { Kind } from '../../../../src/services/tasks/kind.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { type Engine, engine } from '../engine.ts';
import { minute, order } from '../made.ts';

const other = '100000000000000002';
let made = 0;
const another = (over: Partial<typeof order> = {}): typeof order => ({
  ...order,
  request: { prompt: `a fox ${++made}` },
  ...over,
});

const submitted = ({ gateway }: Engine): number => gateway.heard.filter(({ path }) => path.includes('/submit/')).length;
const stateOf = (side: Engine, { id }: Task): string | undefined => side.news.findLast((task) => task.id === id)?.state;
const comes = (side: Engine, task: Task, state: string): Promise<Task> =>
  side.until(() => side.news.findLast(({ id, ...rest }) => id === task.id && rest.state === state));

async function standings({ store, tasks }: Engine): Promise<string[]> {
  await tasks.ledger?.flush();
  return (await Array.fromAsync(store.entries.between('', '9999'))).map(standingOf).sort();
}

/** A bot with a gateway that runs one job at a time, and one running job. */
async function full(parts: Parameters<typeof engine>[2] = {}) {
  const side = await engine({}, undefined, { jobsAtOnce: 1, hasLedger: true, ...parts });
  const running = await side.tasks.orders.submit(another());
  return { side, running };
}

describe('A task in the queue', () => {
  it('A task beyond the limit of simultaneous jobs is stored as waiting, reserved and not sent until a job has ended', async () => {
    const { side, running } = await full();
    const task = await side.tasks.orders.submit(another());
    expect(task).toMatchObject({ state: 'waiting', place: 1 });
    expect(await side.store.get(task.id)).toMatchObject({ state: 'waiting' });
    expect(await standings(side)).toEqual(['reserved', 'reserved']);
    expect(submitted(side)).toBe(1);
    await comes(side, running, 'ready');
    expect((await comes(side, task, 'ready')).times.turn).toBeGreaterThan(task.times.created);
    expect(submitted(side)).toBe(2);
    expect(await standings(side)).toEqual(['settled', 'settled']);
  });

  it('No more jobs run at a time than the gateway accepts, and all are carried out', async () => {
    const side = await engine({}, undefined, { jobsAtOnce: 3 });
    const peak = { now: 0 };
    side.gateway.jobs.on('change', () => {
      const running = side.gateway.jobs.list().filter(({ state }) => state === 'queued' || state === 'running').length;
      peak.now = Math.max(peak.now, running);
    });
    const all = await Promise.all(Array.from({ length: 12 }, () => side.tasks.orders.submit(another())));
    for (const task of all) await comes(side, task, 'ready');
    expect(peak.now).toBe(3);
    expect(submitted(side)).toBe(12);
  });

  it('Another member’s task waits for one free slot, even if a member has a thousand tasks in the queue', async () => {
    const { side, running } = await full();
    for (let count = 0; count < 1_000; count++) await side.tasks.orders.submit(another());
    const theirs = await side.tasks.orders.submit(another({ requesterId: other, guildId: '200000000000000002' }));
    expect(theirs.place).toBe(1);
    await comes(side, running, 'ready');
    const freeAt = side.clock.now();
    await comes(side, theirs, 'accepted');
    process.stderr.write(
      `With 1,000 tasks queued, another member's task was sent ${side.clock.now() - freeAt} ms after the job ended.\n`,
    );
    // Nothing else was sent before it.
    expect(submitted(side)).toBe(2);
    const sameServer = await side.tasks.orders.submit(another({ requesterId: other }));
    await comes(side, theirs, 'ready');
    await comes(side, sameServer, 'accepted');
    expect(submitted(side)).toBeLessThanOrEqual(4);
  });

  it('A cancelled task is never sent and its reservation is released, and only its owner can cancel it', async () => {
    const { side, running } = await full();
    const task = await side.tasks.orders.submit(another());
    await expect(side.tasks.orders.cancel(task.id, other)).rejects.toMatchObject({ key: 'refusals.notYours' });
    const cancelled = await side.tasks.orders.cancel(task.id, task.requesterId);
    expect(cancelled).toMatchObject({ state: 'cancelled', failure: { cause: 'withdrawn' } });
    expect(await standings(side)).toEqual(['refunded', 'reserved']);
    await expect(side.tasks.orders.cancel(running.id, running.requesterId)).rejects.toMatchObject({
      key: 'refusals.cannotCancel',
    });
    await comes(side, running, 'ready');
    side.clock.advance(minute);
    expect(submitted(side)).toBe(1);
    // The member can request the same again immediately.
    const { kind, request, requesterId, guildId, channelId, route } = task;
    const again = { kind, request, requesterId, guildId, channelId, route } as typeof order;
    expect((await side.tasks.orders.submit(again)).state).toBe('accepted');
  });

  it('A restart keeps the queue', async () => {
    const { side } = await full();
    const waiting = [await side.tasks.orders.submit(another()), await side.tasks.orders.submit(another())];
    await side.drop();
    const next = await engine({}, side, { jobsAtOnce: 1, hasLedger: true });
    for (const task of waiting) await comes(next, task, 'ready');
    expect(submitted(next)).toBe(3);
    expect(await standings(next)).toEqual(['settled', 'settled', 'settled']);
  });

  it('A task that was being sent when the bot died is not sent again', async () => {
    const { side, running } = await full();
    const task = await side.tasks.orders.submit(another());
    side.gateway.faults.add({ on: { path: /submit/ }, do: 'hang' });
    await comes(side, running, 'ready');
    await side.until(() => (submitted(side) === 2 ? true : undefined));
    await side.drop();
    const next = await engine({}, side, { jobsAtOnce: 1 });
    expect((await comes(next, task, 'unconfirmed')).failure?.cause).toBe('unconfirmed');
    expect(submitted(next)).toBe(2);
  });

  it('References are checked again when the turn comes, and an expired one ends the task at no cost', async () => {
    let isExpired = false;
    const gather = async () => {
      if (isExpired) throw new Refusal('refusals.imageGone', { name: 'fox.png' });
      return {};
    };
    const { side, running } = await full({ gather });
    const task = await side.tasks.orders.submit(another());
    isExpired = true;
    await comes(side, running, 'ready');
    expect((await comes(side, task, 'failed')).failure).toEqual({
      cause: 'refused',
      refusal: { key: 'refusals.imageGone', variables: { name: 'fox.png' } },
    });
    expect(submitted(side)).toBe(1);
    expect(await standings(side)).toEqual(['refunded', 'settled']);
  });

  it('A task whose turn comes while the gateway is unreachable goes back into the queue', async () => {
    let isAway = false;
    // The same error as from undici if no connection was made.
    const away = new GatewayError('The gateway refused the connection.', {
      kind: 'unreachable',
      mayHaveTakenEffect: false,
    });
    const kindsFor = (client: Gateway): Kind[] =>
      kindsOf(client, { imgxLists: false, imagineReferences: 'address', videosBody: 'json' })
        .filter(({ name }) => name === 'imagine')
        .map(
          (kind) =>
            ({
              ...kind,
              submit: async (...given) => (isAway ? Promise.reject(away) : kind.submit?.(...given)),
            }) as Kind,
        );
    const { side, running } = await full({ kindsFor });
    const task = await side.tasks.orders.submit(another());
    isAway = true;
    await comes(side, running, 'ready');
    await side.until(() => (side.tasks.book.find(task.id)?.returns === 1 ? true : undefined));
    expect(stateOf(side, task)).toBe('waiting');
    isAway = false;
    await comes(side, task, 'ready');
    expect(side.gateway.jobs.list()).toHaveLength(2);
  });

  it('A task whose turn comes while the bot stops waits for the next start', async () => {
    const stopping = Promise.withResolvers<never>();
    let isHeld = false;
    const gather = () => (isHeld ? stopping.promise : Promise.resolve({}));
    const { side, running } = await full({ gather });
    const task = await side.tasks.orders.submit(another());
    isHeld = true;
    await comes(side, running, 'ready');
    await side.until(() => (submitted(side) === 1 ? true : undefined));
    await side.tasks.pause();
    stopping.reject(new Refusal('refusals.imageGone', { name: 'fox.png' }));
    await side.leave();
    const next = await engine({}, side, { jobsAtOnce: 1, hasLedger: true });
    await comes(next, task, 'ready');
    expect(submitted(next)).toBe(2);
  });

  it('The erasure of a member’s data removes their tasks from the queue', async () => {
    const { side, running } = await full();
    const task = await side.tasks.orders.submit(another({ requesterId: other }));
    await side.tasks.erasure.begin(other, async () => true);
    await side.until(() => (side.tasks.book.find(task.id) ? undefined : true));
    await comes(side, running, 'ready');
    side.clock.advance(minute);
    expect(submitted(side)).toBe(1);
    expect(await standings(side)).toContain('refunded');
  });

  it('Waiting tasks move up in the queue as others start', async () => {
    const { side, running } = await full();
    const first = await side.tasks.orders.submit(another());
    const second = await side.tasks.orders.submit(another());
    expect([first.place, second.place]).toEqual([1, 2]);
    await comes(side, running, 'ready');
    await side.until(() => (side.tasks.book.find(second.id)?.place === 1 ? true : undefined));
    expect(stateOf(side, second)).toBe('waiting');
  });
});

describe('A gateway that accepts no more tasks', () => {
  it('A task that the gateway refused because it was full waits, and is sent again under the same reservation', async () => {
    const side = await engine({}, undefined, { hasLedger: true });
    side.gateway.faults.add({ on: { path: /submit/ }, do: 'saturated', times: 2 });
    const task = await side.tasks.orders.submit(another());
    expect(task).toMatchObject({ state: 'waiting', returns: 1 });
    const next = await side.tasks.orders.submit(another({ requesterId: other }));
    expect(next.state).toBe('waiting');
    await comes(side, task, 'ready');
    await comes(side, next, 'ready');
    expect(side.gateway.jobs.list()).toHaveLength(2);
    expect(submitted(side)).toBe(4);
    expect(await standings(side)).toEqual(['settled', 'settled']);
  });

  it('A task is refused and released after it was returned to the queue a limited number of times', async () => {
    const side = await engine({}, undefined, { hasLedger: true });
    side.gateway.faults.add({ on: { path: /submit/ }, do: 'saturated', times: 100 });
    const task = await side.tasks.orders.submit(another());
    for (let count = 0; count < 500 && stateOf(side, task) !== 'failed'; count++) {
      side.clock.advance(minute);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const refused = await comes(side, task, 'failed');
    expect(refused.failure).toMatchObject({ cause: 'refused', code: 'saturated' });
    expect(submitted(side)).toBe(11);
    expect(await standings(side)).toEqual(['refunded']);
  });

  it('Tasks of other kinds continue while one kind is waiting', async () => {
    const side = await engine();
    side.gateway.faults.add({ on: { path: /submit\/imagine/ }, do: 'saturated', times: 1 });
    expect((await side.tasks.orders.submit(another())).state).toBe('waiting');
    const request = { prompt: 'a very long prompt about a fox' };
    const shorten = await side.tasks.orders.submit({ ...order, kind: 'shorten', request });
    expect(shorten.state).toBe('accepted');
  });
});

describe('An account without credit', () => {
  it('The order is refused and not queued, the kind is paused, the operator is notified once, and one order is let through later', async () => {
    const told: string[] = [];
    const side = await engine({}, undefined, { hasLedger: true, tellNoCredit: async (kind) => void told.push(kind) });
    side.gateway.faults.add({ on: { path: /submit/ }, do: 'quota', times: 1 });
    await expect(side.tasks.orders.submit(another())).rejects.toMatchObject({ kind: 'quota' });
    await expect(side.tasks.orders.submit(another())).rejects.toMatchObject({ key: 'refusals.noCredit' });
    expect(side.tasks.book.liveCount).toBe(0);
    expect(told).toEqual(['imagine']);
    expect(submitted(side)).toBe(1);
    side.clock.advance(2 * minute);
    const { state } = await side.tasks.orders.submit(another());
    expect(['accepted', 'waiting']).toContain(state);
    await side.until(() => (side.news.some((task) => task.state === 'ready') ? true : undefined));
    expect((await side.tasks.orders.submit(another())).state).toBe('accepted');
    expect(told).toEqual(['imagine']);
  });
});
