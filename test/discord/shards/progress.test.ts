import { describe, expect, it } from 'vitest';
import { Progress } from '../../../src/discord/shards/session.ts';

describe('The progress of a session', () => {
  it('Events count as handed over up to the first unfinished one, regardless of the order in which they finish', () => {
    const progress = new Progress(10);
    for (const sequence of [11, 12, 13, 14]) progress.begin(sequence);
    expect(progress.completedSequence).toBe(10);
    progress.end(12);
    progress.end(14);
    expect(progress.completedSequence).toBe(10);
    progress.end(11);
    expect(progress.completedSequence).toBe(12);
    progress.skip(15);
    expect(progress.completedSequence).toBe(12);
    progress.end(13);
    expect(progress.completedSequence).toBe(15);
  });
});
