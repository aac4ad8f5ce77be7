import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerPart, answerParts } from '../../../src/messages/answer/split.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const limits = { first: 1_200, other: 1_950, max: Number.POSITIVE_INFINITY };
const fence = '```';

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom('fox', 'snow', '**bold**', '🦊', '`code`', '|', '- item', '# Title', fence, '~~~', '\u200b', 'a\nb'),
);
const paragraph = fc.array(word, { minLength: 1, maxLength: 400 }).map((words) => words.join(' '));
const code = fc
  .tuple(
    fc.constantFrom('', 'ts', 'python', 'a language'),
    fc.array(fc.string({ maxLength: 90 }), { maxLength: 80 }),
    fc.boolean(),
  )
  .map(([language, lines, isClosed]) => `${fence}${language}\n${lines.join('\n')}${isClosed ? `\n${fence}` : ''}`);
const table = fc
  .array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 30 })
  .map((rows) => ['| a | b |', '| --- | --: |', ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join('\n'));
const hugeAnswer = fc
  .tuple(fc.constantFrom('x', '🦊', '\n', ' ', '`'), fc.integer({ min: 1, max: 6_000 }))
  .map(([one, times]) => one.repeat(times));
const text = fc
  .array(
    fc.tuple(
      fc.oneof(paragraph, code, table, hugeAnswer, fc.string({ unit: 'binary' })),
      fc.constantFrom('\n\n', '\n', '\n\n\n\n', '\r\n'),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.flat().join(''));

const fenceCount = (shown: string): number => shown.match(/```/g)?.length ?? 0;

function expectValidPart({ text: shown, files }: AnswerPart, maxLength: number): void {
  expect(shown.length).toBeLessThanOrEqual(maxLength);
  expect(shown.isWellFormed()).toBe(true);
  expect(shown).toMatch(/[^\s\p{Cf}]/u);
  expect(fenceCount(shown) % 2).toBe(0);
  expect(files.length).toBeLessThanOrEqual(9);
  for (const { name } of files) expect(shown.includes(name) || name === 'the-rest.md').toBe(true);
}

describe('An answer that is split into messages', () => {
  it('The parts of a split answer add up to the original, and each is valid Markdown and within the length limit', () => {
    fc.assert(
      fc.property(text, (answer) => {
        const parts = answerParts(answer, limits);
        expect(parts.map(({ source }) => source).join('') === answer).toBe(true);
        for (const [index, part] of parts.entries()) expectValidPart(part, index === 0 ? limits.first : limits.other);
      }),
      { numRuns: 300 },
    );
  });

  it('A split answer has at most the allowed number of messages, and the rest is attached as one file', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4 }), (answer, maxCount) => {
        const parts = answerParts(answer, { ...limits, max: maxCount });
        expect(parts.length).toBeLessThanOrEqual(maxCount);
        expect(parts.map(({ source }) => source).join('') === answer).toBe(true);
        for (const [index, part] of parts.entries()) expectValidPart(part, index === 0 ? limits.first : limits.other);
        const rest = parts.at(-1)?.files.find(({ name }) => name === 'the-rest.md');
        if (rest) expect(answer.endsWith(rest.text)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('A split answer shows every word of plain paragraphs in order', () => {
    const words = fc.array(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 300 }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(words, (paragraphs) => {
        const answer = paragraphs.map((wordList) => wordList.join(' ')).join('\n\n');
        const shownText = answerParts(answer, limits)
          .map((part) => part.text)
          .join(' ');
        expect(shownText.split(/\s+/)).toEqual(answer.split(/\s+/));
      }),
      { numRuns: 100 },
    );
  });

  it('An answer with paragraphs is split between them', () => {
    const paragraphs = ['a', 'b', 'c', 'd'].map((letter) => `${letter} `.repeat(400).trim());
    const parts = answerParts(paragraphs.join('\n\n'), limits);
    expect(parts.map(({ text: shown }) => shown)).toEqual([
      paragraphs[0],
      `${paragraphs[1]}\n\n${paragraphs[2]}`,
      paragraphs[3],
    ]);
  });

  it('A split answer closes code at the end of a message and reopens it in the next one with its language', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `const number${index} = ${index}; // ${'.'.repeat(8)}`);
    const parts = answerParts(`Look:\n${fence}ts\n${lines.join('\n')}\n${fence}\nThat is all.`, limits);
    expect(parts.length).toBeGreaterThan(2);
    const codeBlocks = parts.flatMap(({ text: shown }) => [...shown.matchAll(/```(\w*)\n([\s\S]*?)\n```/g)]);
    expect(new Set(codeBlocks.map(([, language]) => language))).toEqual(new Set(['ts']));
    expect(codeBlocks.map(([, , inner]) => inner).join('\n')).toBe(lines.join('\n'));
    expect(parts.at(-1)?.text).toContain('That is all.');
  });

  it('A small table stands in the message with its columns aligned', () => {
    const answer = [
      ...['Look:', '', '| Name | Price | Note |', '|---|--:|---|'],
      ...['| **狐** | $4 | `a` \\| b |', '| 🦊 fox | $12.50 | ``` x |', '| e\u0301 |'],
    ].join('\n');
    const table = [
      ...['Name     Price  Note', '──────  ──────  ─────', '狐          $4  a | b'],
      ...['🦊 fox  $12.50  x', 'e\u0301'],
    ].join('\n');
    expect(answerParts(answer, limits)).toEqual([
      { source: answer, text: `Look:\n\n${fence}\n${table}\n${fence}`, files: [] },
    ]);
  });

  it.each([
    ['more than ten rows', `| a |\n|---|${'\n| 1 |'.repeat(11)}`],
    ['lines that a phone would wrap', `| a | b |\n|---|---|\n| ${'x'.repeat(30)} | ${'狐'.repeat(7)} |`],
    ['more text than fits', `| a | b |\n|---|---|\n| ${'e\u0301'.repeat(100)}${'\u0301'.repeat(300)} | b |`],
  ])('A table with %s is attached as a file', (_, table) => {
    expect(answerParts(table, { ...limits, prefix: 'foxes-' })).toMatchObject([
      { text: '📄 foxes-table-1.md', files: [{ name: 'foxes-table-1.md', text: table }] },
    ]);
  });

  it('A split answer moves large tables and very long code into files and refers to them', () => {
    const table = `| a | b |\n|---|---|${'\n| 1 | 2 |'.repeat(11)}`;
    const longCode = 'print("a long way")\n'.repeat(300).trim();
    const [onlyPart, ...others] = answerParts(
      `First:\n\n${table}\n\nThen:\n${fence}python\n${longCode}\n${fence}\n`,
      limits,
    );
    expect(others).toEqual([]);
    expect(onlyPart?.text).toBe('First:\n\n📄 table-1.md\n\nThen:\n📄 code-1.py');
    expect(onlyPart?.files).toEqual([
      { name: 'table-1.md', text: table },
      { name: 'code-1.py', text: longCode },
    ]);
  });

  it('A split answer attaches code that contains code fences as a file, and text never opens a code block by accident', () => {
    const [part] = answerParts(`~~~~md\n${fence}ts\n1\n${fence}\n~~~~`, limits);
    expect(part?.files).toEqual([{ name: 'code-1.md', text: `${fence}ts\n1\n${fence}` }]);
    expect(answerParts(`It is ${fence} here`, limits)[0]?.text).toBe(`It is ${fence} here\n${fence}`);
  });

  it('Any answer is split in bounded time', () => {
    const start = cpuMs();
    for (const pattern of ['\n', ' ', '~', '`', '|-', ' |', '\n\t', `${fence}\n`, '.', '- '].map((one) =>
      one.repeat(60_000),
    )) {
      const parts = answerParts(`${pattern}x`, limits);
      expect(parts.map(({ source }) => source).join('') === `${pattern}x`).toBe(true);
    }
    expect(cpuMs() - start).toBeLessThan(5_000);
  });

  it('An empty answer is split into no messages', () => {
    expect(answerParts('', limits)).toEqual([]);
  });
});
