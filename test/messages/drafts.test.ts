import { expect, it } from 'vitest';
import { Refusal } from '../../src/lib/refusal.ts';
import { type DraftOrder, Drafts } from '../../src/messages/drafts.ts';
import { ManualClock } from '../support/manual-clock.ts';

const order = { kind: 'shorten', request: { prompt: 'a fox' } } as unknown as DraftOrder;

function stage() {
  const clock = new ManualClock();
  const drafts = new Drafts(clock);
  const submitted: DraftOrder[] = [];
  const submit = async (one: DraftOrder) => void submitted.push(one);
  return { clock, drafts, submitted, submit };
}

it('A draft is submitted once, and for its member only', async () => {
  const { drafts, submitted, submit } = stage();
  const id = drafts.keep('member', order);
  await expect(drafts.submit(id, 'other', submit)).rejects.toMatchObject({ key: 'refusals.notYours' });
  await drafts.submit(id, 'member', submit);
  await expect(drafts.submit(id, 'member', submit)).rejects.toMatchObject({ key: 'refusals.draftGone' });
  expect(submitted).toEqual([order]);
});

it('A refused draft can be submitted again, and one with an unknown outcome cannot', async () => {
  const { drafts, submitted, submit } = stage();
  const id = drafts.keep('member', order);
  const refuse = () => Promise.reject(new Refusal('refusals.stopping'));
  await expect(drafts.submit(id, 'member', refuse)).rejects.toMatchObject({ key: 'refusals.stopping' });
  await expect(drafts.submit(id, 'member', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(drafts.submit(id, 'member', submit)).rejects.toMatchObject({ key: 'refusals.draftGone' });
  expect(submitted).toEqual([]);
});

it('A draft is kept for 15 minutes, and at most 500 are kept', async () => {
  const { clock, drafts, submit } = stage();
  const first = drafts.keep('member', order);
  clock.advance(15 * 60_000);
  await expect(drafts.submit(first, 'member', submit)).rejects.toMatchObject({ key: 'refusals.draftGone' });
  const ids = Array.from({ length: 501 }, () => drafts.keep('member', order));
  await expect(drafts.submit(ids[0] ?? '', 'member', submit)).rejects.toMatchObject({ key: 'refusals.draftGone' });
  await drafts.submit(ids.at(-1) ?? '', 'member', submit);
});
