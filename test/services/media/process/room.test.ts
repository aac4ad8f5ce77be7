import { describe, expect, it } from 'vitest';
import { MemoryPool } from '../../../../src/services/media/capacity.ts';

const neverAborted = new AbortController().signal;

/** Records the jobs that got memory, in order. */
function recordGrants(pool: MemoryPool) {
  const events: string[] = [];
  const claim = async (name: string, bytes: number, signal = neverAborted) => {
    const release = await pool.claim(bytes, signal);
    events.push(name);
    return release;
  };
  return { events, claim };
}

describe('Memory for decoding', () => {
  it('Memory for decoding is granted while some is free, then in the order of the requests, so a large request never starves', async () => {
    const { events, claim } = recordGrants(new MemoryPool(100));
    const first = await claim('first', 60);
    const large = claim('large', 80);
    const small = claim('small', 10);
    expect(events).toEqual(['first']);
    first();
    (await large)();
    (await small)();
    expect(events).toEqual(['first', 'large', 'small']);
  });

  it('Memory for decoding is refused immediately to a request that exceeds the total', async () => {
    const { claim } = recordGrants(new MemoryPool(100));
    await claim('first', 100);
    await expect(claim('huge', 101)).rejects.toMatchObject({ name: 'MediaError', kind: 'too-large' });
  });

  it('Memory for decoding is not reserved for an aborted job, and the next jobs move up', async () => {
    const { events, claim } = recordGrants(new MemoryPool(100));
    await claim('first', 60);
    const controller = new AbortController();
    const large = claim('large', 80, controller.signal);
    const small = claim('small', 10);
    controller.abort(new Error('no longer wanted'));
    await expect(large).rejects.toThrow('no longer wanted');
    await small;
    expect(events).toEqual(['first', 'small']);
  });
});
