import { describe, expect, it } from 'vitest';
import { blocks } from '../../../sandbox/web/page/markdown/blocks.ts';
import { inline } from '../../../sandbox/web/page/markdown/inline.ts';
import { plain } from '../../../sandbox/web/page/markdown/plain.ts';
import { relativeTime } from '../../../sandbox/web/page/markdown/time.ts';

const text = (words: string) => ({ is: 'text', text: words });
const names: (id: string) => string = () => 'member';

describe('Discord’s Markdown', () => {
  it('Emphasis can be nested, and a single marker is text', () => {
    expect(inline('**a *b* c**')).toEqual([
      { is: 'strong', inner: [text('a '), { is: 'em', inner: [text('b')] }, text(' c')] },
    ]);
    expect(inline('***x*** __y__ ~~z~~')).toEqual([
      { is: 'strong', inner: [{ is: 'em', inner: [text('x')] }] },
      text(' '),
      { is: 'underline', inner: [text('y')] },
      text(' '),
      { is: 'strike', inner: [text('z')] },
    ]);
    expect(plain('2 * 3 * 4 and snake_case_name and a_b', names)).toBe('2 * 3 * 4 and snake_case_name and a_b');
  });

  it('Nothing is parsed inside code, and a backslash escapes a marker', () => {
    expect(inline('`**a** <@1>`')).toEqual([{ is: 'code', text: '**a** <@1>' }]);
    expect(inline('``a`b``')).toEqual([{ is: 'code', text: 'a`b' }]);
    expect(plain('\\*a\\* \\<@1>', names)).toBe('*a* <@1>');
    expect(blocks('see\n```js\nconst a = "# no heading";\n```\n# yes')).toEqual([
      { is: 'paragraph', inner: [text('see')] },
      { is: 'code', language: 'js', text: 'const a = "# no heading";' },
      { is: 'heading', level: 1, inner: [text('yes')] },
    ]);
  });

  it('A keycap emoji is parsed, and a number stays text', () => {
    expect(inline('1\ufe0f\u20e3 of 12')).toEqual([{ is: 'keycap', text: '1\ufe0f\u20e3' }, text(' of 12')]);
    expect(plain('#\u20e3 7', names)).toBe('#\u20e3 7');
  });

  it('Only web addresses become links', () => {
    expect(inline('[here](https://a.example/x_(y)) and [bad](javascript:alert(1))')).toEqual([
      { is: 'link', href: 'https://a.example/x_(y)', inner: [text('here')] },
      text(' and [bad](javascript:alert(1))'),
    ]);
    expect(inline('see https://a.example/b_c_d, please')).toEqual([
      text('see '),
      { is: 'link', href: 'https://a.example/b_c_d', inner: [text('https://a.example/b_c_d')] },
      text(', please'),
    ]);
  });

  it('Mentions, commands and times are parsed, and similar text stays text', () => {
    expect(inline('<@!12> <#3> </music follow:45> <t:1700000000:R> <b>')).toEqual([
      { is: 'user', id: '12' },
      text(' '),
      { is: 'channel', id: '3' },
      text(' '),
      { is: 'command', name: 'music follow', id: '45' },
      text(' '),
      { is: 'time', seconds: 1_700_000_000, style: 'R' },
      text(' <b>'),
    ]);
  });

  it('Lists keep their numbers and can be nested, quotes contain blocks, and subtext is parsed', () => {
    expect(blocks('3. a\n4. b\n\n- c\n  - d\n> # e\n> f\n-# g')).toEqual([
      {
        is: 'list',
        start: 3,
        items: [[{ is: 'paragraph', inner: [text('a')] }], [{ is: 'paragraph', inner: [text('b')] }]],
      },
      {
        is: 'list',
        start: undefined,
        items: [
          [
            { is: 'paragraph', inner: [text('c')] },
            { is: 'list', start: undefined, items: [[{ is: 'paragraph', inner: [text('d')] }]] },
          ],
        ],
      },
      {
        is: 'quote',
        blocks: [
          { is: 'heading', level: 1, inner: [text('e')] },
          { is: 'paragraph', inner: [text('f')] },
        ],
      },
      { is: 'subtext', inner: [text('g')] },
    ]);
  });

  it('Hostile text is parsed in bounded time', () => {
    const nasty = [
      '*a '.repeat(2_000),
      '['.repeat(4_000),
      '||'.repeat(3_000),
      '> '.repeat(2_000),
      '_a_'.repeat(1_500),
      '`'.repeat(4_000),
    ];
    for (const one of nasty) expect(plain(one, names).length).toBeGreaterThan(0);
  }, 10_000);

  it('Relative times are formatted from the current time', () => {
    expect(relativeTime(10_000, 13_000)).toBe('3 seconds ago');
    expect(relativeTime(13_000 + 7_200_000, 13_000)).toBe('in 2 hours');
  });
});
