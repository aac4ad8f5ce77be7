import { describe, expect, it } from 'vitest';
import { MemoryPool } from '../../../src/services/media/download/capacity.ts';

const never = new AbortController().signal;

/** Who has been let in, in that order. */
function visited(room: MemoryPool) {
  const events: string[] = [];
  const claim = async (name: string, bytes: number, signal = never) => {
    const release = await room.claim(bytes, signal);
    events.push(name);
    return release;
  };
  return { events, claim };
}

describe('memory for decoding', () => {
  it('Memory for decoding is given as long as there is some, and then in the order of asking, so that nothing large is passed for ever', async () => {
    const { events, claim } = visited(new MemoryPool(100));
    const first = await claim('first', 60);
    const large = claim('large', 80);
    const small = claim('small', 10);
    expect(events).toEqual(['first']);
    first();
    (await large)();
    (await small)();
    expect(events).toEqual(['first', 'large', 'small']);
  });

  it('Memory for decoding is refused to what needs more than there ever is, at once', async () => {
    const { claim } = visited(new MemoryPool(100));
    await claim('first', 100);
    await expect(claim('huge', 101)).rejects.toMatchObject({ name: 'MediaError', kind: 'too-large' });
  });

  it('Memory for decoding is not kept for a job that no longer wants it, and those behind it are let in', async () => {
    const { events, claim } = visited(new MemoryPool(100));
    await claim('first', 60);
    const unwanted = new AbortController();
    const large = claim('large', 80, unwanted.signal);
    const small = claim('small', 10);
    unwanted.abort(new Error('no longer wanted'));
    await expect(large).rejects.toThrow('no longer wanted');
    await small;
    expect(events).toEqual(['first', 'small']);
  });
});
