import { describe, expect, it } from 'vitest';
import { FormDrafts } from '../../../src/services/orders/form-drafts.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { WHOLE_STORE } from '../../../src/services/tasks/homes.ts';
import { createStoreFixture } from '../store/store-fixture.ts';

async function createFixture() {
  const { open, clock } = createStoreFixture();
  const store = (await open()) as StoredTasks;
  return { clock, store, drafts: new FormDrafts(store.drafts, clock, WHOLE_STORE) };
}

const entered = (formId: string, duration = 'abc') => ({
  entered: { formId, isPrivate: false, fields: { duration }, lists: { which: ['2'] } },
});

describe('Drafts of forms', () => {
  it('A draft can be used for an hour, by its member only, and is gone once the member is erased', async () => {
    const { drafts, clock, store } = await createFixture();
    const id = await drafts.keep('member', entered('filmf.1'));
    await expect(drafts.entered(id, 'other')).rejects.toMatchObject({ key: 'refusals.formGone' });
    expect(await drafts.entered(id, 'member')).toEqual(entered('filmf.1').entered);
    clock.advance(60 * 60_000);
    await expect(drafts.entered(id, 'member')).rejects.toMatchObject({ key: 'refusals.formGone' });
    const images = await drafts.keep('member', { images: [{ address: 'https://x.example/1.png', name: '1.png' }] });
    await drafts.erase('member');
    await expect(drafts.images(images, 'member')).rejects.toMatchObject({ key: 'refusals.formGone' });
    await store.close();
  });

  it('A form has one draft however often it is refused, and a member has ten drafts at most', async () => {
    const { drafts, clock, store } = await createFixture();
    const first = await drafts.keep('member', entered('filmf.1'));
    const others: string[] = [];
    for (let n = 0; n < 9; n++) {
      clock.advance(1_000);
      others.push(await drafts.keep('member', entered(`wf.1.${n}`)));
    }
    clock.advance(1_000);
    expect(await drafts.keep('member', entered('filmf.1', '5'))).toBe(first);
    expect((await drafts.entered(first, 'member')).fields).toEqual({ duration: '5' });
    expect(await drafts.findByMember('member')).toHaveLength(10);
    clock.advance(1_000);
    await drafts.keep('member', entered('gof.1'));
    await expect(drafts.entered(others[0] ?? '', 'member')).rejects.toMatchObject({ key: 'refusals.formGone' });
    expect(await drafts.findByMember('member')).toHaveLength(10);
    await store.close();
  });
});
