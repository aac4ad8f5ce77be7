import fc from 'fast-check';
import { flagsFor, flagValueRefusal, negativeFlagRefusal } from '../../../src/commands/imagine/flags.ts';
import { readIds, shortenList } from '../../../src/commands/music/ids.ts';
import { givenLinks, readImages, referenceRefusal } from '../../../src/commands/options.ts';
import { readCamera, readDuration, readExtra, readSize } from '../../../src/commands/video/typed-options.ts';
import { customId, customIds, readCustomId } from '../../../src/discord/custom-ids.ts';
import { escapeText, inlineCode } from '../../../src/discord/markdown.ts';
import { breakInvites, truncate, truncateMarkdown } from '../../../src/discord/truncate.ts';
import { isDecimal, sumOf } from '../../../src/lib/decimals.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { answerParts } from '../../../src/messages/answer/split.ts';
import { similarIds } from '../../../src/services/gateway/model-ids.ts';
import { parseRange } from '../../../src/services/money/usage-days.ts';
import { emphasisedWords, readResultText } from '../../../src/services/tasks/result-text.ts';
import { BrokenInvariant, type Target } from '../target.ts';

const isRefusal = (error: unknown): boolean => error instanceof Refusal;

const textFrom = (words: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 })
    .map((list) => list.join(''));

/** The maximum length of a Discord option, and so of the text that a member can enter. */
const MAX_INPUT_LENGTH = 6_000;
const memberText = (input: Buffer): string => input.toString().slice(0, MAX_INPUT_LENGTH);

const MARKDOWN_TOKENS = [
  ...[
    '```',
    '`',
    '~~~',
    '**',
    '__',
    '~~',
    '||',
    '*',
    '_',
    '\\',
    '\n',
    '\n\n',
    '> ',
    '# ',
    '| a | b |\n',
    '|---|---|\n',
    '- ',
  ],
  ...[
    'https://a.example/x_y',
    '<',
    '>',
    '[a](https://b.example)',
    '<@123>',
    '<#1>',
    '@everyone',
    '\t',
    ' ',
    'word',
    '\ud83d\ude00',
  ],
  ...['\u202e', '```js\n', '\n```\n', 'x'.repeat(300), '1. ', '\r\n', '\u200b', ':-', '-:', '\u2800', '👩‍👩‍👧'],
];
const limits = { first: 400, other: 500, max: 5 };

const FLAG_TOKENS = [
  '--ar ',
  '--v ',
  '—stylize',
  '--no ',
  '--seed=',
  ' ',
  '1',
  '.',
  ':',
  '16:9',
  '-',
  '--',
  'niji',
  '–chaos:',
  '\n',
  '--weird 9999',
];
const ID_TOKENS = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ' ',
  'https://x.example/task/',
  'task_id',
  ':',
  'abc123',
  '%E0',
  '?id=',
  '<',
  '>',
  '.',
  ')',
  '1711217942120945',
];
const JSON_TOKENS = [
  '{',
  '}',
  '"a":',
  '1',
  '1e999',
  '"!b"',
  '"__proto__":',
  '[',
  ']',
  ',',
  '"x"',
  'null',
  '{"a":',
  '9007199254740993',
];
const RESULT_TOKENS = [
  '1️⃣ ',
  '1. ',
  '\n',
  '**bold**',
  '[a](https://x.example)',
  '(0.5)',
  '# Title',
  ':',
  ' ',
  'word',
  '*',
  '2️⃣',
];

export const wordTargets: readonly Target[] = [
  {
    name: 'markdown',
    inputType: 'text',
    seeds: () => [
      'Hello **you**, see https://a.example/a_b*c',
      '# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nx\n```\nend',
      'a `b` <@1> ||c||',
    ],
    structured: textFrom(MARKDOWN_TOKENS),
    words: MARKDOWN_TOKENS,
    run(input) {
      const text = input.toString();
      if (escapeText(text, 200).length > 200) throw new BrokenInvariant('The escaped text is longer than its limit.');
      if (/\n/.test(escapeText(text, 1_000))) throw new BrokenInvariant('The escaped text has more than one line.');
      if (inlineCode(text).slice(1, -1).includes('`'))
        throw new BrokenInvariant('The inline code ends before the text does.');
      breakInvites(text);
      for (const shorten of [truncate, truncateMarkdown]) {
        if (shorten(text, 100).length > 100) throw new BrokenInvariant('The text is longer than its limit.');
      }
      const parts = answerParts(text, limits);
      if (parts.map(({ source }) => source).join('') !== text)
        throw new BrokenInvariant('The parts do not add up to the whole text.');
      for (const [index, { text: shown }] of parts.entries()) {
        if (shown.length > (index === 0 ? limits.first : limits.other))
          throw new BrokenInvariant('A part is longer than its message.');
      }
    },
    isExpected: () => false,
    growing: {
      'fences that are never closed': (times) => '```\na\n~~~\n'.repeat(times),
      'fences of growing length': (times) => '````a\nb\n'.repeat(times),
      'one long line': (times) => 'a'.repeat(times),
      'Markdown markers in a row': (times) => '**'.repeat(times),
      'lines of a table': (times) => `| a |\n|---|\n${'| b |\n'.repeat(times)}`,
      'table headers': (times) => '| a |\n|---|\n\n'.repeat(times),
      'lines that are almost table separators': (times) =>
        `a|\n${'\t'.repeat(120)}-:${'\t'.repeat(120)}-|\n`.repeat(times),
      paragraphs: (times) => 'a b c\n\n'.repeat(times),
      'empty lines': (times) => '\n'.repeat(times),
      urls: (times) => 'https://a.example/ '.repeat(times),
      spaces: (times) => `${' '.repeat(times)}x`,
    },
  },
  {
    name: 'options',
    inputType: 'text',
    seeds: () => [
      'a cat --ar 16:9 --v 7 --no dogs',
      '{"a":1,"!b":[2]}',
      '["abc123","https://x.example/task/abc456"]',
      '1280x720',
      '16:9',
      '<https://a.example/1.png>, https://b.example',
      '**Title**\n1️⃣ a cat **bold** (0.5)\n\n2️⃣ a dog',
      '2026-01-01',
      '1.10',
    ],
    structured: fc.oneof(textFrom(FLAG_TOKENS), textFrom(ID_TOKENS), textFrom(JSON_TOKENS), textFrom(RESULT_TOKENS)),
    words: [...FLAG_TOKENS, ...ID_TOKENS, ...JSON_TOKENS, ...RESULT_TOKENS],
    run(input) {
      const text = memberText(input);
      for (const read of OPTION_READERS) {
        try {
          read(text);
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }
    },
    isExpected: isRefusal,
    // Several readers run one after the other.
    msPerKb: 6,
    growing: {
      dashes: (times) => '--a'.repeat(times),
      'flags without a number': (times) => '--s '.repeat(times),
      'spaces after a flag': (times) => `--s${' '.repeat(times)}x`,
      brackets: (times) => '['.repeat(times),
      'brackets within a word': (times) => `a${')'.repeat(times)}b`,
      'objects in a row': (times) => '{"id":"abc123"},'.repeat(times),
      'nested objects': (times) => `${'{"a":'.repeat(times)}1${'}'.repeat(times)}`,
      commas: (times) => ','.repeat(times),
      links: (times) => 'https://a.example/,'.repeat(times),
      lines: (times) => '1️⃣ a **b** [c](https://d.example)\n'.repeat(times),
      'bold that never ends': (times) => '**a'.repeat(times),
      'links that never end': (times) => '[a'.repeat(times),
      digits: (times) => `${'1'.repeat(times)}x`,
    },
    maxBytes: MAX_INPUT_LENGTH,
  },
  {
    name: 'custom-ids',
    inputType: 'text',
    seeds: () => [
      customId('up', 1, 'abc', '2'),
      customId('up', 12, 'a b', 'ü', ''),
      customIds.tasks.id({ whose: 'mine', words: 'a b' }),
    ],
    structured: fc
      .tuple(
        fc.string({ maxLength: 9 }),
        fc.nat(),
        fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 8 }),
      )
      .map(([verb, version, args]) => [verb, version, ...args].join('.')),
    words: ['.', '~', '~YQ', 'up', '1', '9999', '0', '~_-', 'm', 's', 'do', '\ud83d'],
    run(input) {
      const text = input.toString();
      const id = readCustomId(text);
      if (!id) return;
      for (const { read } of Object.values(customIds)) read({ ...id, version: 1 });
      if (Buffer.byteLength(id.args.join('')) > 60) return;
      const secondRead = readCustomId(customId(id.verb, id.version, ...id.args));
      if (JSON.stringify(secondRead) !== JSON.stringify(id))
        throw new BrokenInvariant('The second read returns a different result.');
    },
    isExpected: isRefusal,
    growing: {
      dots: (times) => '.'.repeat(times),
      tildes: (times) => `up.1.~${'~'.repeat(times)}`,
      characters: (times) => `up.1.${'a'.repeat(times)}`,
    },
  },
];

const attachment = { id: '1', name: 'a', size: 1, address: 'https://a.example/', mediaType: 'image/png' };

const OPTION_READERS: readonly ((text: string) => unknown)[] = [
  (text) => flagsFor(text, { negative: text, aspect: text, version: text }),
  flagValueRefusal,
  (text) => negativeFlagRefusal({ negative: text }),
  readExtra,
  readSize,
  readDuration,
  readCamera,
  (text) => givenLinks({ links: text }),
  (text) => readImages({ links: text }),
  (text) => referenceRefusal({ links: text, image: { ...attachment, name: text } }),
  (text) => {
    const { ids, invalid } = readIds(text);
    return shortenList([...ids, ...invalid]);
  },
  (text) => emphasisedWords(readResultText(text)),
  (text) => parseRange({ start: text, end: undefined }, '2026-01-01'),
  (text) => similarIds(text.slice(0, 200), ['claude-1', 'gpt-x', 'flux.1-pro']),
  (text) => (isDecimal(text) ? sumOf([text, '1.5']) : undefined),
];
