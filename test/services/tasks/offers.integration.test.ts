import { describe, expect, it } from 'vitest';
import { actionOrder } from '../../../src/commands/imagine/follow-ups.ts';
import { VIDEO_ENDPOINT } from '../../../src/commands/imagine/videos.ts';
import { kindOfferName, Offers } from '../../../src/services/tasks/offers.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { minute, order } from '../orders/builders.ts';
import { startEngine } from '../orders/engine.ts';

describe('An action that the gateway has refused', () => {
  it('An action that the gateway has refused is offered again after ten minutes, however the clock changes', () => {
    const clock = new ManualClock();
    const offers = new Offers(clock);
    offers.markRefused('MJ::JOB::upsample::1::x');
    expect(offers.isOffered('MJ::JOB::upsample::2::y')).toBe(false);
    expect(offers.isOffered('MJ::JOB::variation::2::y')).toBe(true);
    clock.setBack(60 * minute);
    expect(offers.isOffered('MJ::JOB::upsample::2::y')).toBe(false);
    clock.advance(10 * minute - 1);
    expect(offers.isOffered('MJ::JOB::upsample::2::y')).toBe(false);
    clock.advance(1);
    expect(offers.isOffered('MJ::JOB::upsample::2::y')).toBe(true);
  });

  it('An action that the gateway has refused is offered again as soon as it has been accepted once', () => {
    const offers = new Offers(new ManualClock());
    const song = kindOfferName('song');
    for (const one of [VIDEO_ENDPOINT, song]) offers.markRefused(one);
    expect([offers.isOffered(VIDEO_ENDPOINT), offers.isKindRefused('song')]).toEqual([false, true]);
    for (const one of [VIDEO_ENDPOINT, song]) offers.markAccepted(one);
    expect([offers.isOffered(VIDEO_ENDPOINT), offers.isKindRefused('song')]).toEqual([true, false]);
  });

  it('The number of stored refused actions is limited, and an action that no gateway accepts stays hidden', () => {
    const offers = new Offers(new ManualClock());
    for (let index = 0; index < 1_000; index++) offers.markRefused(`invented-${index}`);
    expect(offers.isOffered('invented-0')).toBe(true);
    expect(offers.isOffered('invented-999')).toBe(false);
    expect(offers.isOffered('MJ::BOOKMARK::x')).toBe(false);
  });
});

describe('A button of a result', () => {
  it.each([
    { type: 'redirect', to: 'https://elsewhere.example/login' },
    { type: 'status', status: 404, as: 'empty' },
    { type: 'status', status: 405, as: 'empty' },
    { type: 'status', status: 501, as: 'html' },
  ] as const)(
    'A button of a result is refused once but still offered if no error code states the reason: %o',
    async (fault) => {
      const fixture = await startEngine();
      const { offers } = fixture.tasks;
      const { id } = await fixture.tasks.orders.submit(order);
      const parent = await fixture.until(() =>
        fixture.changes.findLast((task) => task.id === id && task.state === 'ready'),
      );
      const { customId = '' } = parent.actions[0] ?? {};
      fixture.gateway.faults.add({ on: { path: '/imgx/submit/action' }, do: fault });
      await expect(fixture.tasks.orders.submit({ ...order, ...actionOrder(parent, 0) })).rejects.toMatchObject({
        kind: 'not-offered',
      });
      expect(offers.isOffered(customId)).toBe(true);
    },
  );

  it('A button of a result is hidden if the gateway reports the action as unknown, and shown again after a success', async () => {
    const fixture = await startEngine();
    const { offers } = fixture.tasks;
    const { id } = await fixture.tasks.orders.submit(order);
    const parent = await fixture.until(() =>
      fixture.changes.findLast((task) => task.id === id && task.state === 'ready'),
    );
    const { customId = '' } = parent.actions[0] ?? {};
    const unknownAction = { type: 'status', status: 404, code: 'unknown_action', message: 'unknown_action' } as const;
    fixture.gateway.faults.add({ on: { path: '/imgx/submit/action' }, do: unknownAction });
    const followUp = { ...order, ...actionOrder(parent, 0) };
    await expect(fixture.tasks.orders.submit(followUp)).rejects.toMatchObject({ kind: 'not-offered' });
    expect(offers.isOffered(customId)).toBe(false);
    expect((await fixture.tasks.orders.submit(followUp)).state).toBe('accepted');
    expect(offers.isOffered(customId)).toBe(true);
  });
});
