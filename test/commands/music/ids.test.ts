import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readIds } from '../../../src/commands/music/ids.ts';

const one = '4f1c7a52-6f1e-4c39-9d55-0a8b7c6d5e4f';
const two = 'task_88a0b1';
const three = '1320098173412546123';

describe('Song ids', () => {
  it.each([
    ['from text with commas', `${one},${two}, ${three}`],
    ['from lines', `${one}\r\n${two}\n\n${three}\n`],
    ['from quotes with semicolons', `"${one}"; '${two}'; \`${three}\`;`],
    ['from a list', JSON.stringify([one, two, three])],
    ['from a list with a number too long for JavaScript', `["${one}","${two}",${three}]`],
    ['from a list without its brackets', `"${one}", "${two}", "${three}"`],
    ['from a list that was cut off', `["${one}", "${two}", "${three}"`],
    ['from objects', `[{"id":"${one}"},{"task_id":"${two}","id":7},{"taskId":${three}}]`],
    ['from consecutive objects', `{"id":"${one}"}\n{"id":"${two}"} {"id":"${three}"}`],
    ['from a request', JSON.stringify({ ids: [one, two, three] })],
    [
      'from a response of a gateway',
      JSON.stringify({
        code: 'success',
        data: [{ task_id: one, data: [{ id: 'clip-1' }] }, { task_id: two, data: [] }, { task_id: three }],
      }),
    ],
    [
      'from addresses',
      `https://a.example/music/fetch/${one} <http://b.example/x/${two}/?y=1> https://c.example/?id=${three}`,
    ],
    ['mixed', `${one} ["${two}"], https://c.example/${three}.`],
    ['doubled', `${one} ${one} ${two} ${three} ${two}`],
  ])('Song ids are read %s', (_how, text) => {
    expect(readIds(text)).toEqual({ ids: [one, two, three], invalid: [] });
  });

  it('Song ids are read from the response to a submit', () => {
    expect(readIds(JSON.stringify({ code: 'success', message: '', data: one })).ids).toEqual([one]);
  });

  it.each([
    ['please', ['please']],
    ['https://a.example/', ['https://a.example/']],
    [`${one} ../../etc/passwd1`, ['../../etc/passwd1']],
    [`id-1\u0000`, ['id-1\u0000']],
    ['9'.repeat(101), ['9'.repeat(101)]],
  ])('%j is not a song id', (text, invalid) => {
    expect(readIds(text).invalid).toEqual(invalid);
  });

  it.each(['', '   ', '[]', '{}', '[null]', '{"data":null}', ',;|', '[[[[[[[[[[["id-1"]]]]]]]]]]]'])(
    '%j contains no song ids',
    (text) => {
      expect(readIds(text)).toEqual({ ids: [], invalid: [] });
    },
  );

  const id = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{2,30}[0-9]$/);
  const forms: ((ids: string[]) => string)[] = [
    (ids) => ids.join(','),
    (ids) => ids.join(' \n'),
    (ids) => JSON.stringify(ids),
    (ids) => JSON.stringify(ids.map((name) => ({ task_id: name, id: 3 }))),
    (ids) => ids.map((name) => `https://gateway.example/music/fetch/${encodeURIComponent(name)}?a=b`).join(' '),
  ];

  it('Every pasted song id is read once, in the pasted order and from any format', () => {
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 40 }), fc.constantFrom(...forms), (ids, form) => {
        expect(readIds(form(ids))).toEqual({ ids: [...new Set(ids)], invalid: [] });
      }),
    );
  });

  it('Song ids from any pasted text are safe to send, and no entry counts as both an id and invalid', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const { ids, invalid } = readIds(text);
        for (const name of ids) expect(name).toMatch(/^[A-Za-z0-9][\w.:-]{2,99}$/);
        expect(new Set(ids).size).toBe(ids.length);
        expect(invalid.filter((word) => ids.includes(word))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
