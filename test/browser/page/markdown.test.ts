import { describe, expect, it } from 'vitest';
import { parseBlocks } from '../../../sandbox/web/page/markdown/blocks.ts';
import { parseInline } from '../../../sandbox/web/page/markdown/inline.ts';
import { toPlainText } from '../../../sandbox/web/page/markdown/plain.ts';
import { relativeTime } from '../../../sandbox/web/page/markdown/time.ts';

const text = (words: string) => ({ type: 'text', text: words });
const nameOf: (id: string) => string = () => 'member';

describe('Discord’s Markdown', () => {
  it('Emphasis can be nested, and an unpaired marker is plain text', () => {
    expect(parseInline('**a *b* c**')).toEqual([
      { type: 'strong', inner: [text('a '), { type: 'em', inner: [text('b')] }, text(' c')] },
    ]);
    expect(parseInline('***x*** __y__ ~~z~~')).toEqual([
      { type: 'strong', inner: [{ type: 'em', inner: [text('x')] }] },
      text(' '),
      { type: 'underline', inner: [text('y')] },
      text(' '),
      { type: 'strike', inner: [text('z')] },
    ]);
    expect(toPlainText('2 * 3 * 4 and snake_case_name and a_b', nameOf)).toBe('2 * 3 * 4 and snake_case_name and a_b');
  });

  it('Nothing is parsed inside code, and a backslash escapes a marker', () => {
    expect(parseInline('`**a** <@1>`')).toEqual([{ type: 'code', text: '**a** <@1>' }]);
    expect(parseInline('``a`b``')).toEqual([{ type: 'code', text: 'a`b' }]);
    expect(toPlainText('\\*a\\* \\<@1>', nameOf)).toBe('*a* <@1>');
    expect(parseBlocks('see\n```js\nconst a = "# no heading";\n```\n# yes')).toEqual([
      { type: 'paragraph', inner: [text('see')] },
      { type: 'code', language: 'js', text: 'const a = "# no heading";' },
      { type: 'heading', level: 1, inner: [text('yes')] },
    ]);
  });

  it('A mention of a role has its name, like that of a member', () => {
    const names: Readonly<Record<string, string>> = { '7': 'artists', '8': 'ann' };
    expect(toPlainText('<@&7> and <@8>', (id) => names[id] ?? 'nobody')).toBe('@artists and @ann');
  });

  it('A keycap emoji is parsed, and a plain number stays text', () => {
    expect(parseInline('1\ufe0f\u20e3 of 12')).toEqual([{ type: 'keycap', text: '1\ufe0f\u20e3' }, text(' of 12')]);
    expect(toPlainText('#\u20e3 7', nameOf)).toBe('#\u20e3 7');
  });

  it('Only web URLs become links', () => {
    expect(parseInline('[here](https://a.example/x_(y)) and [bad](javascript:alert(1))')).toEqual([
      { type: 'link', href: 'https://a.example/x_(y)', inner: [text('here')] },
      text(' and [bad](javascript:alert(1))'),
    ]);
    expect(parseInline('see https://a.example/b_c_d, please')).toEqual([
      text('see '),
      { type: 'link', href: 'https://a.example/b_c_d', inner: [text('https://a.example/b_c_d')] },
      text(', please'),
    ]);
  });

  it('Mentions, commands and times are parsed, and similar text stays plain text', () => {
    expect(parseInline('<@!12> <#3> </music follow:45> <t:1700000000:R> <b>')).toEqual([
      { type: 'user', id: '12' },
      text(' '),
      { type: 'channel', id: '3' },
      text(' '),
      { type: 'command', name: 'music follow', id: '45' },
      text(' '),
      { type: 'time', seconds: 1_700_000_000, style: 'R' },
      text(' <b>'),
    ]);
  });

  it('Lists keep their numbers and can be nested, quotes contain blocks, and subtext is parsed', () => {
    expect(parseBlocks('3. a\n4. b\n\n- c\n  - d\n> # e\n> f\n-# g')).toEqual([
      {
        type: 'list',
        start: 3,
        items: [[{ type: 'paragraph', inner: [text('a')] }], [{ type: 'paragraph', inner: [text('b')] }]],
      },
      {
        type: 'list',
        start: undefined,
        items: [
          [
            { type: 'paragraph', inner: [text('c')] },
            { type: 'list', start: undefined, items: [[{ type: 'paragraph', inner: [text('d')] }]] },
          ],
        ],
      },
      {
        type: 'quote',
        blocks: [
          { type: 'heading', level: 1, inner: [text('e')] },
          { type: 'paragraph', inner: [text('f')] },
        ],
      },
      { type: 'subtext', inner: [text('g')] },
    ]);
  });

  it('Hostile text is parsed in bounded time', () => {
    const hostile = [
      '*a '.repeat(2_000),
      '['.repeat(4_000),
      '||'.repeat(3_000),
      '> '.repeat(2_000),
      '_a_'.repeat(1_500),
      '`'.repeat(4_000),
    ];
    for (const one of hostile) expect(toPlainText(one, nameOf).length).toBeGreaterThan(0);
  }, 10_000);

  it('Relative times are formatted from the current time', () => {
    expect(relativeTime(10_000, 13_000)).toBe('3 seconds ago');
    expect(relativeTime(13_000 + 7_200_000, 13_000)).toBe('in 2 hours');
  });
});
