import { describe, expect, it } from 'vitest';
import { ConversationMemory } from '../../../../src/services/gateway/realtime/memory.ts';

const textsOf = (memory: ConversationMemory): string[] =>
  memory
    .items('ga')
    .flatMap(({ content }) => (content as { text: string }[] | undefined)?.map(({ text }) => text) ?? []);

describe('The history that a new connection receives', () => {
  it('The history that a new connection receives contains the latest turns, at most forty', () => {
    const memory = new ConversationMemory(
      Array.from({ length: 100 }, (_none, index) => ({ by: 'member', text: `Turn ${index}` })),
    );
    expect(textsOf(memory)).toHaveLength(40);
    memory.addTurn('model', 'The last');
    expect(textsOf(memory)).toHaveLength(40);
    expect(textsOf(memory).at(-1)).toBe('The last');
    expect(textsOf(memory)[0]).toBe('Turn 61');
  });

  it('The history that a new connection receives is limited in characters and drops the oldest turns first', () => {
    const memory = new ConversationMemory([]);
    for (const character of ['a', 'b', 'c']) memory.addTurn('member', character.repeat(25_000));
    expect(textsOf(memory).map((text) => text[0])).toEqual(['b', 'c']);
    memory.addTurn('member', 'd'.repeat(100_000));
    expect(textsOf(memory).map((text) => text.length)).toEqual([60_000]);
  });
});
