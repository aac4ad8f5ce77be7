import { describe, expect, it } from 'vitest';
import { blocks } from '../../../sandbox/web/page/markdown/blocks.ts';
import { inline } from '../../../sandbox/web/page/markdown/inline.ts';
import { plain } from '../../../sandbox/web/page/markdown/plain.ts';
import { relativeTime } from '../../../sandbox/web/page/markdown/time.ts';

const text = (words: string) => ({ is: 'text', text: words });
const names: (id: string) => string = () => 'member';

describe('what Discord makes of a text', () => {
  it('emphasis nests, and a lone mark is a mark', () => {
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

  it('nothing within code is anything else, and a backslash takes a meaning away', () => {
    expect(inline('`**a** <@1>`')).toEqual([{ is: 'code', text: '**a** <@1>' }]);
    expect(inline('``a`b``')).toEqual([{ is: 'code', text: 'a`b' }]);
    expect(plain('\\*a\\* \\<@1>', names)).toBe('*a* <@1>');
    expect(blocks('see\n```js\nconst a = "# no heading";\n```\n# yes')).toEqual([
      { is: 'paragraph', inner: [text('see')] },
      { is: 'code', language: 'js', text: 'const a = "# no heading";' },
      { is: 'heading', level: 1, inner: [text('yes')] },
    ]);
  });

  it('a keycap is a picture of its key, and a number is a number', () => {
    expect(inline('1\ufe0f\u20e3 of 12')).toEqual([{ is: 'keycap', text: '1\ufe0f\u20e3' }, text(' of 12')]);
    expect(plain('#\u20e3 7', names)).toBe('#\u20e3 7');
  });

  it('only addresses of the web become links', () => {
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

  it('mentions, commands and times are read, and what only looks like them is text', () => {
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

  it('lists keep their numbers and nest, quotes hold blocks, and small print is small', () => {
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

  it('a text that was made to be slow is read all the same', () => {
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

  it('a time is told from now', () => {
    expect(relativeTime(10_000, 13_000)).toBe('3 seconds ago');
    expect(relativeTime(13_000 + 7_200_000, 13_000)).toBe('in 2 hours');
  });
});
