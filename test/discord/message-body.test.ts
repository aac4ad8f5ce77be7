import { ComponentType } from 'discord.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateBody } from '../../sandbox/discord/validation/index.ts';
import { bodyOf } from '../../src/discord/message-body.ts';
import type { ButtonPlan, MessagePlan } from '../../src/discord/plan.ts';
import { truncate, truncateMarkdown } from '../../src/discord/truncate.ts';

const button = (number: number): ButtonPlan => ({ type: 'button', id: `a.1.${number}`, label: `U${number}` });

/** The violations that Discord would report for the body of a plan. */
function violationsOf(plan: MessagePlan) {
  const { body, files } = bodyOf(plan);
  return validateBody('webhook-edit', body, {
    files: files.map(({ name, data }, id) => ({ id: String(id), name, bytes: Buffer.byteLength(data as Buffer) })),
  });
}

describe('A message plan', () => {
  it('A message plan is turned into content, files with alt text and rows of up to five buttons', () => {
    const plan: MessagePlan = {
      content: 'hello',
      files: [{ name: 'a.png', bytes: Buffer.from('x'), alt: 'AI-generated: a boat', spoiler: true }],
      controls: Array.from({ length: 9 }, (_, index) => button(index)),
    };
    const { body, files } = bodyOf(plan);
    expect(body).toMatchObject({
      content: 'hello',
      attachments: [{ id: 0, description: 'AI-generated: a boat', is_spoiler: true }],
      allowed_mentions: { parse: [] },
    });
    expect(body.components.map((row) => 'components' in row && row.components.length)).toEqual([5, 4]);
    expect(files[0]?.name).toBe('a.png');
    expect(violationsOf(plan)).toEqual([]);
  });

  it('A message plan with long content is truncated at a word boundary, or moved to a file while its beginning stays in the message', () => {
    const longText = 'word '.repeat(1_000).trim();
    const truncated = bodyOf({ content: longText });
    expect(truncated.body.content?.length).toBeLessThanOrEqual(2_000);
    expect(truncated.body.content).toMatch(/word…$/);
    const withFile = bodyOf({ content: longText, overflow: 'file' });
    expect(withFile.files[0]?.data.toString()).toBe(longText);
    expect(violationsOf({ content: longText, overflow: 'file' })).toEqual([]);
  });

  it('A message plan with too many buttons offers them as the options of a select menu', () => {
    const plan = { content: 'x', controls: Array.from({ length: 26 }, (_, index) => button(index)) };
    const [row] = bodyOf(plan).body.components;
    const select = row && 'components' in row ? row.components[0] : undefined;
    expect(select).toMatchObject({ type: ComponentType.StringSelect, custom_id: 'press.1' });
    expect(violationsOf(plan)).toEqual([]);
  });

  it.each(['', ' \n', '\u200b', '\u3164'])(
    'A label that shows nothing does not make Discord refuse a message (%j)',
    (label) => {
      const options = [{ value: 'a', label, description: label }];
      const select = { type: 'select', id: 'task.1', placeholder: label, options } as const;
      expect(violationsOf({ content: 'x', controls: [{ ...button(0), label }, select] })).toEqual([]);
      expect(violationsOf({ content: 'x', controls: [{ ...button(0), label, emoji: '🎞️' }] })).toEqual([]);
    },
  );

  it('Discord accepts the message for a plan with any content, labels and pages', () => {
    const text = fc.string({ minLength: 1, maxLength: 6_000, unit: 'grapheme' }).filter((one) => one.trim() !== '');
    const page = fc.record({ title: text, blocks: fc.array(text, { maxLength: 5 }), footer: text });
    const controls = fc.array(
      fc.record({ label: text }).map(({ label }) => label),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.record({ content: text }), fc.record({ page })), controls, (message, labels) => {
        const plan = { ...message, controls: labels.map((label, index) => ({ ...button(index), label })) };
        expect(violationsOf(plan)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('The beginning of a long message', () => {
  it.each([
    ['bold words', `**${'bold'.repeat(20)}**`, `**${'bold'.repeat(20).slice(0, 35)}…**`],
    ['code', `\`\`\`${'code'.repeat(20)}\`\`\``, `\`\`\`${'code'.repeat(20).slice(0, 33)}…\`\`\``],
    ['a mention', `${'x'.repeat(30)}<@100000000000000001> and`, `${'x'.repeat(30)}…`],
    ['a time', `${'x'.repeat(34)}<t:1700000000:R> and`, `${'x'.repeat(34)}…`],
    ['a link', `${'x'.repeat(30)}[this one](https://example.org/1) and`, `${'x'.repeat(30)}…`],
    ['a URL', `${'x'.repeat(30)} https://example.org/1 and`, `${'x'.repeat(30)}…`],
    ['an escaped character', `${'x'.repeat(38)}\\* and`, `${'x'.repeat(38)}…`],
    ['plain text', `${'x'.repeat(30)} and so on for long`, `${'x'.repeat(30)} and so…`],
  ])('The beginning of a long message is not cut within %s', (_, text, start) => {
    expect(truncateMarkdown(text, 40)).toBe(start);
  });

  it('The beginning of a long message is a prefix of it within the limit, and surrogate pairs are not split', () => {
    const pieces = fc.constantFrom(
      '**',
      '~~',
      '||',
      '`',
      '```',
      '\\*',
      '<@1>',
      '[a](https://b.c)',
      ' ',
      '\n',
      'fox',
      '🦊',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), fc.integer({ min: 8, max: 60 }), (parts, limit) => {
        const text = parts.join('');
        const start = truncateMarkdown(text, limit);
        expect(start.length).toBeLessThanOrEqual(limit);
        expect(start.isWellFormed()).toBe(true);
        if (text.length <= limit) {
          expect(start).toBe(text);
          return;
        }
        const [prefix = '', closing = ''] = start.split('…');
        expect(text.startsWith(prefix)).toBe(true);
        expect(closing).toMatch(/^(?:\*\*|~~|\|\||`)*$/);
        expect(prefix).not.toMatch(/<@?1?$|\\$|\[a?\]?\(?[a-z:/.]*$/);
      }),
    );
  });
});

describe('Shortened text', () => {
  it('Text is shortened only if it is too long, to at most the limit and never within a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const shortened = truncate(text, limit);
        expect(shortened.length).toBeLessThanOrEqual(limit);
        if (text.length <= limit) expect(shortened).toBe(text);
        if (text.isWellFormed()) expect(shortened.isWellFormed()).toBe(true);
      }),
    );
  });
});
