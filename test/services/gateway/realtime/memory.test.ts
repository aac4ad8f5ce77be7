import { describe, expect, it } from 'vitest';
import { Memory } from '../../../../src/services/gateway/realtime/memory.ts';

const textsOf = (memory: Memory): string[] =>
  memory
    .items('ga')
    .flatMap(({ content }) => (content as { text: string }[] | undefined)?.map(({ text }) => text) ?? []);

describe('what a conversation made anew is told', () => {
  it('is what was said last, forty turns at most', () => {
    const memory = new Memory(Array.from({ length: 100 }, (_none, at) => ({ by: 'member', text: `Turn ${at}` })));
    expect(textsOf(memory)).toHaveLength(40);
    memory.said('model', 'The last');
    expect(textsOf(memory)).toHaveLength(40);
    expect(textsOf(memory).at(-1)).toBe('The last');
    expect(textsOf(memory)[0]).toBe('Turn 61');
  });

  it('has a bound of letters, and the oldest stay away', () => {
    const memory = new Memory([]);
    for (const mark of ['a', 'b', 'c']) memory.said('member', mark.repeat(25_000));
    expect(textsOf(memory).map((text) => text[0])).toEqual(['b', 'c']);
    memory.said('member', 'd'.repeat(100_000));
    expect(textsOf(memory).map((text) => text.length)).toEqual([60_000]);
  });

  it('has no output without its call', () => {
    const memory = new Memory([]);
    memory.called({ callId: 'a', name: 'draw', arguments: '{}' });
    memory.answered({ callId: 'a', output: 'Done' });
    expect(memory.items('ga').map(({ type }) => type)).toEqual(['function_call', 'function_call_output']);
    for (let count = 0; count < 39; count++) memory.said('member', 'More');
    expect(memory.items('ga').map(({ type }) => type)).not.toContain('function_call_output');
  });
});
