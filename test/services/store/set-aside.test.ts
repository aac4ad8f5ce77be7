import { expect, it } from 'vitest';
import { onEveryStore } from './sites.ts';
import { makeTask } from './stage.ts';

onEveryStore((stage) => {
  it('A task with an unreadable request is kept unchanged, is not polled, and is reported to its owner once', async () => {
    const site = await stage();
    const store = await site.open();
    const [odd, fine] = [makeTask({ requesterId: 'ann' }), makeTask({ requesterId: 'bob' })];
    await store.put(odd);
    await store.put(fine);
    await site.rewrite(({ namespace, key, text }) =>
      namespace === 'live' && key === odd.id ? text.replace('"prompt":"', '"prompt":7,"was":"') : undefined,
    );
    const [row] = (await site.rows('live')).filter(({ key }) => key === odd.id);
    await store.close();

    const next = await site.open();
    expect((await next.live()).map(({ id }) => id)).toEqual([fine.id]);
    const [kept] = await site.rows('quarantine');
    const { value } = JSON.parse(kept?.text ?? '{}');
    expect(JSON.parse(value.text)).toEqual(JSON.parse(row?.text ?? '{}').value);
    expect(value).toMatchObject({ from: 'live', key: odd.id, owner: 'ann', why: 'is invalid at request.prompt' });

    const told: string[] = [];
    await next.quarantine.tellOwners(async () => false);
    for (let start = 0; start < 2; start++)
      await next.quarantine.tellOwners(async (memberId) => {
        told.push(memberId);
        return true;
      });
    expect(told).toEqual(['ann']);
  });
});
