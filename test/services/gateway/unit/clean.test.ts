import { describe, expect, it } from 'vitest';
import { cleanMessage } from '../../../../src/services/gateway/errors.ts';
import { KEY } from './failed-answer.ts';

describe('A gateway message that is cleaned for display', () => {
  it.each([
    ['stays unchanged if nothing is wrong', 'the model does not exist', 'the model does not exist'],
    ['is one line', ' two\r\n\tlines  here \u0007', 'two lines here'],
    ['has no control characters', 'a\u0000b\u001b[31mc\u009dd\u2028e', 'a b [31mc d e'],
    [
      'is the title of a page',
      '<html><head><title> 502 Bad Gateway </title><style>p{}</style></head></html>',
      '502 Bad Gateway',
    ],
    [
      'is the text of a page without a title',
      '<body><h1>413</h1><p>Too large</p><script>x()</script></body>',
      '413 Too large',
    ],
    ['is the text of a truncated page', '<html><body><h1>524</h1><p>timed out</p><script>var a = 1', '524 timed out'],
    ['loses single tags', 'try <a href="https://x.example">this</a>', 'try this'],
    [
      'keeps brackets that are not tags',
      'size must be <width>x<height>, 1 < 2',
      'size must be <width>x<height>, 1 < 2',
    ],
    ['hides a key', `key ${KEY}!`, 'key [hidden]!'],
    ['hides a key in another format', 'my-own-secret is wrong', '[hidden] is wrong'],
    [
      'hides keys of other services',
      'Incorrect API key provided: sk-abcd********wxyz',
      'Incorrect API key provided: [hidden]',
    ],
    ['hides a bearer token', 'sent "Authorization: Bearer abc.def-ghi"', 'sent "Authorization: [hidden]"'],
    ['hides a lower-case bearer token', 'authorization: bearer   abc', 'authorization: [hidden]'],
    ['keeps a placeholder for a token', 'send Authorization: Bearer <key>.', 'send Authorization: Bearer <key>.'],
    ['keeps the name of a scheme', 'Use a bearer token, not "Bearer x1"', 'Use a bearer token, not "[hidden]"'],
    ['is empty if there was only markup', '<html><body><br></body></html>', ''],
  ])('A cleaned gateway message %s', (_what, text, expected) => {
    expect(cleanMessage(text, [KEY, 'my-own-secret', ''])).toBe(expected);
  });

  it.each([
    '<b>Error</b>: no',
    '<pre>Error: no</pre>',
    '<strong>Error: no</strong>',
    '<h2>Error: no</h2>',
    '<table><tr><td>Error: no</td></tr></table>',
  ])('A cleaned gateway message has no tags: %s', (text) => {
    expect(cleanMessage(text, [])).toMatch(/^Error ?: no$/);
  });

  it('A cleaned gateway message hides a key within an HTML page', () => {
    const pages = [
      `<html><body><p>Bearer ${KEY}</p></body></html>`,
      `<html><head><title>401 ${KEY}</title></head></html>`,
      `<html><body><a href="/?key=${KEY}">x</a> y</body></html>`,
      `<p>${'x'.repeat(490)} ${KEY}</p>`,
    ];
    for (const page of pages) {
      const message = cleanMessage(page, [KEY]);
      for (let end = 10; end <= KEY.length; end++) expect(message).not.toContain(KEY.slice(0, end));
    }
  });

  it('A cleaned gateway message is at most 500 characters long and marks where it was truncated', () => {
    const message = cleanMessage('word '.repeat(2_000), []);
    expect(message.length).toBeLessThanOrEqual(500);
    expect(message.endsWith('word…')).toBe(true);
    expect(cleanMessage('x'.repeat(10_000), [])).toBe(`${'x'.repeat(499)}…`);
    expect(cleanMessage('x'.repeat(500), [])).toBe('x'.repeat(500));
  });

  it('A cleaned gateway message is never truncated within a character', () => {
    expect(cleanMessage('😀'.repeat(5_000), []).isWellFormed()).toBe(true);
    expect(cleanMessage(`x${'😀'.repeat(5_000)}`, []).isWellFormed()).toBe(true);
  });

  it.each([
    ['titles that never end', '<title'],
    ['scripts that never end', '<script '],
    ['brackets', '<'],
    ['bearer tokens', 'Bearer '],
    ['keys', 'sk-'],
    ['pages', '<p>'],
  ])(
    'A cleaned gateway message is processed only at its beginning, even if millions of characters of %s follow',
    (_what, piece) => {
      // Quadratic processing would exceed the test's time limit.
      const text = `<p>${piece.repeat(5_000_000 / piece.length)}`;
      expect(cleanMessage(text, [KEY]).length).toBeLessThanOrEqual(500);
    },
  );
});
