import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emphasisedWords, lineAt, readResultText } from '../../../src/services/tasks/result-text.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const fourItems = ['a red fox --ar 3:2', 'snow, seen from above', '3.5 metres of ice', 'study in white'];
const formatItems = (mark: (number: number) => string, separator = '\n\n') =>
  fourItems.map((line, index) => `${mark(index + 1)}${line}`).join(separator);

describe('A text result', () => {
  it.each([
    ['keycaps', formatItems((number) => `${number}\ufe0f\u20e3 `)],
    ['keycaps without a variation selector', formatItems((number) => `${number}\u20e3 `)],
    ['keycaps on one line', formatItems((number) => `${number}\ufe0f\u20e3 `, ' ')],
    ['numbers and dots', formatItems((number) => `${number}. `, '\n')],
    ['numbers and brackets', formatItems((number) => `(${number}) `, '\r\n')],
    ['bold numbers', formatItems((number) => `**${number}.** `)],
    ['dashes', formatItems(() => '- ')],
    ['paragraphs', formatItems(() => '')],
    ['single line breaks', formatItems(() => '', '\n')],
    ['a heading above', `## Prompts\n${formatItems((number) => `${number}\ufe0f\u20e3 `)}`],
    ['text before and after the list', `Four of them:\n\n${formatItems((number) => `${number}. `)}\n\nChoose one`],
  ])('A text result is split into its items if it has %s', (_, text) => {
    expect(readResultText(text).lines).toEqual(fourItems);
    expect(lineAt(text, 2)).toBe(fourItems[1]);
    expect(lineAt(text, 5)).toBeUndefined();
  });

  it.each([
    ['fewer than four lines', '1️⃣ one\n\n2️⃣ two', ['one', 'two']],
    ['an item that continues on the next line', '1. a fox\nin the snow\n2. a hare', ['a fox in the snow', 'a hare']],
    ['one paragraph', 'a fox in the snow, at dawn', ['a fox in the snow, at dawn']],
    ['numbers up to ten', '9️⃣ nine 🔟 ten', ['nine', 'ten']],
    ['links in the text', '1️⃣ a fox by [a painter](https://example.org/a?b=c)', ['a fox by a painter']],
    ['bold text', '1. **fox** in snow\n2. __hare__', ['**fox** in snow', '__hare__']],
    ['an empty line in between', '1️⃣ one\n2️⃣\n3️⃣ three', ['one', 'three']],
    ['only a line that looks like a heading', '## A fox in the snow', ['## A fox in the snow']],
    ['a title above the items', 'Shortened prompts\n1️⃣ one\n2️⃣ two', ['one', 'two']],
    ['only whitespace', ' \n ', []],
  ])('A text result in an unusual format is split as far as possible: %s', (_, text, lines) => {
    expect(readResultText(text).lines).toEqual(lines);
  });

  it('The topics of a text result are read from the text above its items, but not from their title', () => {
    const lines = '1️⃣ one\n2️⃣ two';
    expect(emphasisedWords(readResultText(`Shortened prompts\n\n${lines}`))).toEqual([]);
    expect(emphasisedWords(readResultText(`a fox, snow, dusk\nShortened prompts\n${lines}`))).toEqual([
      'a fox, snow, dusk',
    ]);
  });

  it('A text result with arbitrary content is read quickly and without an error, and loses nothing if it has no markers', () => {
    const markup = fc.constantFrom(
      '1️⃣',
      '🔟',
      '1. ',
      '- ',
      '**',
      '\n',
      '\r\n',
      ' ',
      ':',
      '#',
      '[a](https://x.y)',
      '~~',
      'fox',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(markup, fc.string({ unit: 'grapheme' }))), (pieces) => {
        const text = pieces.join('');
        const resultText = readResultText(text);
        for (const line of resultText.lines) expect(line).toBe(line.trim());
        expect(resultText.lines.length > 0).toBe(text.trim() !== '' && resultText.lines.some((line) => line !== ''));
        emphasisedWords(resultText);
      }),
    );
    const start = cpuMs();
    for (const piece of [' ', '\n', '[', '**', '~~', '1. ', ': ', '[a](http:']) readResultText(piece.repeat(50_000));
    expect(cpuMs() - start).toBeLessThan(2_000);
  });
});

describe('The main topics of a prompt', () => {
  const drafts = '## Shortened prompts\n1️⃣ red fox, snow\n\n2️⃣ fox';

  it.each([
    ['**fox** (1.00), **snow** (0.62), ~~a~~, ~~the~~, dawn', ['fox (1.00)', 'snow (0.62)']],
    ['fox, snow ~~and the~~', ['fox, snow']],
    ['', []],
  ])('The main topics of a prompt are the emphasised parts outside the drafts: %j', (tokens, topics) => {
    expect(emphasisedWords(readResultText(`## Important tokens\n${tokens}\n${drafts}`))).toEqual(topics);
  });
});
