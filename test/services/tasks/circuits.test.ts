import { describe, expect, it } from 'vitest';
import { blamesRequest } from '../../../src/services/gateway/error-responses.ts';
import { standingOf } from '../../../src/services/ledger/entry.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import type { Order } from '../../../src/services/tasks/transitions.ts';
import { type Engine, engine } from './engine.ts';
import { minute, order } from './made.ts';

const members = ['100000000000000001', '100000000000000002'] as const;
let made = 0;

/** A unique order; members take turns as its requester. */
function another(over: Partial<Order> = {}): Order {
  made += 1;
  const requesterId = members[made % members.length] ?? '';
  return { ...order, requesterId, request: { prompt: `a fox ${made}` }, ...over } as Order;
}

const ofModel = (model: string): Order => ({
  ...another(),
  kind: 'image',
  request: { prompt: `a fox ${made}`, model },
});
const submitted = ({ gateway }: Engine): number =>
  gateway.heard.filter(({ path, method }) => method === 'POST' && /submit|\/images\//.test(path)).length;
const ends = (side: Engine, task: Task): Promise<Task> =>
  side.until(() => side.news.findLast(({ id, times }) => id === task.id && times.ended !== undefined));

async function carryOut(side: Engine, ordered: Order = another()): Promise<Task> {
  return ends(side, await side.tasks.orders.submit(ordered));
}

async function failing(side: Engine, count: number, ordered: () => Order = () => another()): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    side.gateway.faults.add({ do: 'fail', times: 1 });
    expect((await carryOut(side, ordered())).state).toBe('failed');
  }
}

const refused = (side: Engine, key: string, ordered: Order = another()): Promise<void> =>
  expect(side.tasks.orders.submit(ordered)).rejects.toMatchObject({ key });

describe('A model whose jobs fail', () => {
  it('After five failures in a row from two members, orders are refused before anything is stored or sent', async () => {
    const side = await engine({}, undefined, { hasLedger: true });
    await failing(side, 4);
    expect(side.circuits.allFailing).toEqual([]);
    await failing(side, 1);
    const since = side.circuits.allFailing[0]?.since ?? 0;
    expect(side.circuits.allFailing).toMatchObject([{ kind: 'imagine', model: undefined, isTried: false }]);
    const [before, live] = [submitted(side), side.tasks.book.liveCount];
    const until = Math.ceil((side.clock.now() + minute) / 1000);
    await expect(side.tasks.orders.submit(another())).rejects.toMatchObject({
      key: 'refusals.failing.kind',
      variables: { since: Math.ceil(since / 1000) },
    });
    expect(side.circuits.failing(another())?.until).toBeLessThanOrEqual(until * 1000);
    expect([submitted(side), side.tasks.book.liveCount]).toEqual([before, live]);
    await side.tasks.ledger?.flush();
    const standings = (await Array.fromAsync(side.store.entries.between('', '9999'))).map(standingOf);
    expect(standings).toEqual(Array.from({ length: 5 }, () => 'refunded'));
  });

  it('Another model of the same kind is not affected, and the refusal names the one that fails', async () => {
    const side = await engine();
    await failing(side, 5, () => ofModel('lumen-image-1'));
    await expect(side.tasks.orders.submit(ofModel('lumen-image-1'))).rejects.toMatchObject({
      key: 'refusals.failing.model',
      variables: { model: 'lumen-image-1' },
    });
    expect((await carryOut(side, ofModel('lumen-image-1-2K'))).state).toBe('ready');
  });

  it('A success in between restarts the count, and failures of a single member never count', async () => {
    const side = await engine();
    await failing(side, 4);
    expect((await carryOut(side)).state).toBe('ready');
    await failing(side, 4);
    expect(side.circuits.allFailing).toEqual([]);
    expect((await carryOut(side)).state).toBe('ready');
    await failing(side, 8, () => another({ requesterId: members[0] }));
    expect(side.circuits.allFailing).toEqual([]);
    // The same failure for another member counts against the model.
    await failing(side, 1, () => another({ requesterId: members[1] }));
    expect(side.circuits.allFailing).toHaveLength(1);
  });

  it('Failures that are far apart do not count together', async () => {
    const side = await engine();
    await failing(side, 4);
    side.clock.advance(11 * minute);
    await failing(side, 1);
    expect(side.circuits.allFailing).toEqual([]);
  });

  it('Unknown outcomes, refused requests, missing credit and a wrong key do not count', async () => {
    const side = await engine();
    for (const fault of ['accepted-then-500', 'quota', 'unauthorized', 'too-large'] as const) {
      for (let at = 0; at < 6; at += 1) {
        side.gateway.faults.add({ on: { path: /submit/ }, do: fault, times: 1 });
        await side.tasks.orders.submit(another()).catch(() => undefined);
        side.gateway.faults.clear();
        side.clock.advance(2 * minute);
      }
    }
    expect(side.circuits.allFailing).toEqual([]);
  });

  it('For a model that the gateway no longer has, refusals of its orders count as failures', async () => {
    const side = await engine();
    for (let at = 0; at < 5; at += 1) {
      const fault = { type: 'status', status: 404, code: 'model_not_found', message: 'No such model.' } as const;
      side.gateway.faults.add({ on: { path: /\/images\// }, do: fault, times: 1 });
      await expect(side.tasks.orders.submit(ofModel('lumen-image-1'))).rejects.toMatchObject({ kind: 'not-found' });
    }
    await refused(side, 'refusals.failing.model', ofModel('lumen-image-1'));
  });

  it('After a pause one order is let through and no other until it ends, and its success lets all orders through', async () => {
    const side = await engine();
    await failing(side, 5);
    side.clock.advance(minute);
    const probe = await side.tasks.orders.submit(another());
    await refused(side, 'refusals.probing.kind');
    await refused(side, 'refusals.probing.kind');
    expect((await ends(side, probe)).state).toBe('ready');
    expect((await carryOut(side)).state).toBe('ready');
    expect(side.circuits.allFailing).toEqual([]);
  });

  it('If the trial fails as well, the pause is twice as long, up to half an hour', async () => {
    const side = await engine();
    await failing(side, 5);
    for (const pause of [2, 4, 8, 16, 30, 30]) {
      side.clock.advance(30 * minute);
      await failing(side, 1);
      side.clock.advance(pause * minute - 1_000);
      await refused(side, 'refusals.failing.kind');
    }
  });

  it('If the trial order does not reach the gateway, or ends inconclusively, the next order is let through', async () => {
    const side = await engine();
    await failing(side, 5);
    side.clock.advance(minute);
    const invalid = { type: 'status', status: 400, code: 'invalid_value', message: 'No.' } as const;
    side.gateway.faults.add({ on: { path: /submit/ }, do: invalid, times: 1 });
    await expect(side.tasks.orders.submit(another())).rejects.toMatchObject({ kind: 'invalid' });
    side.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-500', times: 1 });
    expect((await side.tasks.orders.submit(another())).state).toBe('unconfirmed');
    // A trial job that never ends is abandoned once it is overdue.
    side.gateway.faults.add({ do: 'stick', times: 1 });
    const stuck = await side.tasks.orders.submit(another());
    await refused(side, 'refusals.probing.kind');
    await side.until(() => side.tasks.book.find(stuck.id)?.times.overdue);
    expect((await side.tasks.orders.submit(another())).state).toBe('accepted');
  });

  it('Queued tasks are refused when their turn comes, and their reservations are released', async () => {
    const side = await engine({}, undefined, { jobsAtOnce: 1, hasLedger: true });
    side.gateway.faults.add({ do: 'fail', times: 5 });
    const all: Task[] = [];
    for (let at = 0; at < 8; at += 1) all.push(await side.tasks.orders.submit(another()));
    const states: Task[] = [];
    for (const task of all) states.push(await ends(side, task));
    expect(submitted(side)).toBe(5);
    expect(states.slice(0, 5).map(({ failure }) => failure?.cause)).toEqual(Array.from({ length: 5 }, () => 'failed'));
    for (const { state, failure } of states.slice(5)) {
      expect([state, failure?.cause, failure?.refusal?.key]).toEqual(['failed', 'refused', 'refusals.failing.kind']);
    }
    await side.tasks.ledger?.flush();
    const standings = (await Array.fromAsync(side.store.entries.between('', '9999'))).map(standingOf);
    expect(standings).toEqual(Array.from({ length: 8 }, () => 'refunded'));
  });

  it('The failures of a model are forgotten if nobody has used it for an hour after its pause', async () => {
    const side = await engine();
    await failing(side, 5);
    side.clock.advance(62 * minute);
    expect(side.circuits.allFailing).toEqual([]);
  });

  it('Members cannot fill the memory with made-up models', async () => {
    const side = await engine();
    const fault = { type: 'status', status: 404, code: 'model_not_found', message: 'No such model.' } as const;
    side.gateway.faults.add({ on: { path: /\/images\// }, do: fault, times: 10_000 });
    for (let at = 0; at < 520; at += 1)
      await side.tasks.orders.submit(ofModel(`invented-${at}`)).catch(() => undefined);
    expect(side.circuits.size).toBe(500);
  });
});

it.each([
  ['sensitive_words_detected', true],
  ['content_filter', true],
  ['insufficient_user_quota', true],
  ['invalid_value', true],
  ['model_not_supported', false],
  ['upstream_error', false],
  ['get_channel_failed', false],
  ['something_else', false],
  [undefined, false],
])('The code %s of a failed job blames its request: %s', (code, blamed) => {
  expect(blamesRequest(code)).toBe(blamed);
});
