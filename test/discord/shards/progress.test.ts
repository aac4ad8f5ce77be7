import { describe, expect, it } from 'vitest';
import { Progress } from '../../../src/discord/shards/progress.ts';

describe('The progress of a session', () => {
  it('Events count as handed over up to the first unfinished one, in whatever order they finish', () => {
    const progress = new Progress(10);
    for (const sequence of [11, 12, 13, 14]) progress.begin(sequence);
    expect(progress.taken).toBe(10);
    progress.end(12);
    progress.end(14);
    expect(progress.taken).toBe(10);
    progress.end(11);
    expect(progress.taken).toBe(12);
    progress.note(15);
    expect(progress.taken).toBe(12);
    progress.end(13);
    expect(progress.taken).toBe(15);
  });
});
