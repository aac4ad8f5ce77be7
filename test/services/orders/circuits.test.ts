import { describe, expect, it } from 'vitest';
import { blamesRequest } from '../../../src/services/gateway/error-responses.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import type { Order } from '../../../src/services/tasks/transitions.ts';
import { minute, order } from './builders.ts';
import {
  createFixture,
  type Fixture,
  failed,
  failedImage,
  noCredit,
  POLL,
  POLL_IMAGE,
  refused,
  running,
  SUBMIT,
  SUBMIT_IMAGE,
} from './fixture.ts';

const members = ['100000000000000001', '100000000000000002'] as const;
let orderCount = 0;

/** A unique order; members take turns as its requester. */
function nextOrder(overrides: Partial<Order> = {}): Order {
  orderCount += 1;
  const requesterId = members[orderCount % members.length] ?? '';
  return { ...order, requesterId, request: { prompt: `a fox ${orderCount}` }, ...overrides } as Order;
}

const orderFor = (model: string): Order => ({
  ...nextOrder(),
  kind: 'image',
  request: { prompt: `a fox ${orderCount}`, model },
});
const submitCount = ({ gateway }: Fixture): number => gateway.count(/^POST .*(submit|\/images\/)/);
const waitForEnd = (fixture: Fixture, task: Task): Promise<Task> =>
  fixture.until(() => fixture.changes.findLast(({ id, times }) => id === task.id && times.ended !== undefined));

async function submitAndWait(fixture: Fixture, newOrder: Order = nextOrder()): Promise<Task> {
  return waitForEnd(fixture, await fixture.tasks.orders.submit(newOrder));
}

async function failOrders(
  fixture: Fixture,
  count: number,
  createOrder: () => Order = () => nextOrder(),
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    fixture.gateway.reply(POLL, failed);
    fixture.gateway.reply(POLL_IMAGE, failedImage);
    expect((await submitAndWait(fixture, createOrder())).state).toBe('failed');
  }
}

const expectRefusal = (fixture: Fixture, key: string, newOrder: Order = nextOrder()): Promise<void> =>
  expect(fixture.tasks.orders.submit(newOrder)).rejects.toMatchObject({ key });

describe('A model whose jobs fail', () => {
  it('After five failures in a row from two members, orders are refused before anything is stored or sent', async () => {
    const fixture = await createFixture({});
    await failOrders(fixture, 4);
    expect(fixture.circuits.allFailing).toEqual([]);
    await failOrders(fixture, 1);
    const since = fixture.circuits.allFailing[0]?.since ?? 0;
    expect(fixture.circuits.allFailing).toMatchObject([{ kind: 'imagine', model: undefined, isBeingProbed: false }]);
    const [submitsBefore, liveBefore] = [submitCount(fixture), fixture.tasks.book.live().length];
    const until = Math.ceil((fixture.clock.now() + minute) / 1000);
    await expect(fixture.tasks.orders.submit(nextOrder())).rejects.toMatchObject({
      key: 'refusals.failing.kind',
      variables: { since: Math.ceil(since / 1000) },
    });
    expect(fixture.circuits.findFailing(nextOrder())?.until).toBeLessThanOrEqual(until * 1000);
    expect([submitCount(fixture), fixture.tasks.book.live().length]).toEqual([submitsBefore, liveBefore]);
    await fixture.tasks.ledger?.flush();
    const standings = (await Array.fromAsync(fixture.store.entries.readRange('', '9999'))).map(standingOf);
    expect(standings).toEqual(Array.from({ length: 5 }, () => 'refunded'));
  });

  it('Another model of the same kind is not affected, and the refusal names the one that fails', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 5, () => orderFor('lumen-image-1'));
    await expect(fixture.tasks.orders.submit(orderFor('lumen-image-1'))).rejects.toMatchObject({
      key: 'refusals.failing.model',
      variables: { model: 'lumen-image-1' },
    });
    expect((await submitAndWait(fixture, orderFor('lumen-image-1-2K'))).state).toBe('ready');
  });

  it('A success in between restarts the count, and failures of a single member never count', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 4);
    expect((await submitAndWait(fixture)).state).toBe('ready');
    await failOrders(fixture, 4);
    expect(fixture.circuits.allFailing).toEqual([]);
    expect((await submitAndWait(fixture)).state).toBe('ready');
    await failOrders(fixture, 8, () => nextOrder({ requesterId: members[0] }));
    expect(fixture.circuits.allFailing).toEqual([]);
    // The same failure for another member counts against the model.
    await failOrders(fixture, 1, () => nextOrder({ requesterId: members[1] }));
    expect(fixture.circuits.allFailing).toHaveLength(1);
  });

  it('Failures that are far apart do not count together', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 4);
    fixture.clock.advance(11 * minute);
    await failOrders(fixture, 1);
    expect(fixture.circuits.allFailing).toEqual([]);
  });

  it('Unknown outcomes, refused requests, missing credit and a wrong key do not count', async () => {
    const fixture = await createFixture();
    for (const fault of ['reset', noCredit, refused(401, 'invalid_api_key'), refused(413, 'too_large')] as const) {
      for (let index = 0; index < 6; index += 1) {
        fixture.gateway.reply(SUBMIT, fault);
        await fixture.tasks.orders.submit(nextOrder()).catch(() => undefined);
        fixture.clock.advance(2 * minute);
      }
    }
    expect(fixture.circuits.allFailing).toEqual([]);
  });

  it('For a model that the gateway no longer has, refusals of its orders count as failures', async () => {
    const fixture = await createFixture();
    for (let index = 0; index < 5; index += 1) {
      fixture.gateway.reply(SUBMIT_IMAGE, refused(404, 'model_not_found'));
      await expect(fixture.tasks.orders.submit(orderFor('lumen-image-1'))).rejects.toMatchObject({ kind: 'not-found' });
    }
    await expectRefusal(fixture, 'refusals.failing.model', orderFor('lumen-image-1'));
  });

  it('After a pause, one order is let through and no other until it ends, and its success lets all orders through', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 5);
    fixture.clock.advance(minute);
    const probe = await fixture.tasks.orders.submit(nextOrder());
    await expectRefusal(fixture, 'refusals.probing.kind');
    await expectRefusal(fixture, 'refusals.probing.kind');
    expect((await waitForEnd(fixture, probe)).state).toBe('ready');
    expect((await submitAndWait(fixture)).state).toBe('ready');
    expect(fixture.circuits.allFailing).toEqual([]);
  });

  it('If the trial fails as well, the pause is twice as long, up to half an hour', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 5);
    for (const pause of [2, 4, 8, 16, 30, 30]) {
      fixture.clock.advance(30 * minute);
      await failOrders(fixture, 1);
      fixture.clock.advance(pause * minute - 1_000);
      await expectRefusal(fixture, 'refusals.failing.kind');
    }
  });

  it('If the trial order does not reach the gateway, or ends inconclusively, the next order is let through', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 5);
    fixture.clock.advance(minute);
    fixture.gateway.reply(SUBMIT, refused(400, 'invalid_value'));
    await expect(fixture.tasks.orders.submit(nextOrder())).rejects.toMatchObject({ kind: 'invalid' });
    fixture.gateway.reply(SUBMIT, 'reset');
    expect((await fixture.tasks.orders.submit(nextOrder())).state).toBe('unconfirmed');
    // A trial job that never ends is abandoned once it is overdue.
    fixture.gateway.replyAlways(POLL, ({ path }) => running(/task\/(.*)\/fetch/.exec(path)?.[1]));
    const stuck = await fixture.tasks.orders.submit(nextOrder());
    await expectRefusal(fixture, 'refusals.probing.kind');
    await fixture.until(() => fixture.tasks.book.find(stuck.id)?.times.overdue);
    expect((await fixture.tasks.orders.submit(nextOrder())).state).toBe('accepted');
  });

  it('Queued tasks are refused when their turn comes, and their reservations are released', async () => {
    const fixture = await createFixture({ jobsAtOnce: 1 });
    fixture.gateway.reply(POLL, failed, failed, failed, failed, failed);
    const submittedTasks: Task[] = [];
    for (let index = 0; index < 8; index += 1) submittedTasks.push(await fixture.tasks.orders.submit(nextOrder()));
    const endedTasks: Task[] = [];
    for (const task of submittedTasks) endedTasks.push(await waitForEnd(fixture, task));
    expect(submitCount(fixture)).toBe(5);
    expect(endedTasks.slice(0, 5).map(({ failure }) => failure?.cause)).toEqual(
      Array.from({ length: 5 }, () => 'failed'),
    );
    for (const { state, failure } of endedTasks.slice(5)) {
      expect([state, failure?.cause, failure?.refusal?.key]).toEqual(['failed', 'refused', 'refusals.failing.kind']);
    }
    await fixture.tasks.ledger?.flush();
    const standings = (await Array.fromAsync(fixture.store.entries.readRange('', '9999'))).map(standingOf);
    expect(standings).toEqual(Array.from({ length: 8 }, () => 'refunded'));
  });

  it('The failures of a model are discarded if it has not been used for an hour after its pause', async () => {
    const fixture = await createFixture();
    await failOrders(fixture, 5);
    fixture.clock.advance(62 * minute);
    expect(fixture.circuits.allFailing).toEqual([]);
  });

  it('Members cannot fill the memory with made-up models', async () => {
    const fixture = await createFixture();
    const task = await fixture.tasks.orders.submit(orderFor('lumen-image-1'));
    fixture.gateway.reply(SUBMIT_IMAGE, refused(404, 'model_not_found'));
    const error: unknown = await fixture.tasks.orders.submit(orderFor('invented')).catch((reason: unknown) => reason);
    for (let index = 0; index < 520; index += 1)
      fixture.circuits.recordRefusal({ ...task, request: { prompt: '', model: `invented-${index}` } } as Task, error);
    expect(fixture.circuits.size).toBe(500);
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
])('The code %s of a failed job blames its request: %s', (code, isBlamed) => {
  expect(blamesRequest(code)).toBe(isBlamed);
});
