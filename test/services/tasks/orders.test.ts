import { describe, expect, it } from 'vitest';
import { order } from './builders.ts';
import { accepted, createFixture, POLL, running, SUBMIT, succeeded } from './fixture.ts';

describe('An order', () => {
  it('An order is stored before it is submitted, and its job is followed to the result', async () => {
    const { tasks, store, gateway, until, changes } = await createFixture();
    gateway.reply(SUBMIT, accepted());
    gateway.reply(POLL, running(), succeeded());
    const task = await tasks.orders.submit(order);
    expect(task).toMatchObject({ state: 'accepted', remoteId: '1711' });
    await until(() => changes.find(({ state }) => state === 'ready'));
    expect(await store.get(task.id)).toMatchObject({
      state: 'ready',
      media: [{ address: 'https://cdn.gateway.test/1711.png' }],
    });
    expect(gateway.count(SUBMIT)).toBe(1);
  });
});
