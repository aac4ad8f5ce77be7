import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readIds } from '../../../src/commands/music/ids.ts';

const firstId = '4f1c7a52-6f1e-4c39-9d55-0a8b7c6d5e4f';
const secondId = 'task_88a0b1';
const thirdId = '1320098173412546123';

describe('Song ids', () => {
  it.each([
    ['from text with commas', `${firstId},${secondId}, ${thirdId}`],
    ['from lines', `${firstId}\r\n${secondId}\n\n${thirdId}\n`],
    ['from quotes with semicolons', `"${firstId}"; '${secondId}'; \`${thirdId}\`;`],
    ['from a list', JSON.stringify([firstId, secondId, thirdId])],
    ['from a list with a number too long for JavaScript', `["${firstId}","${secondId}",${thirdId}]`],
    ['from a list without its brackets', `"${firstId}", "${secondId}", "${thirdId}"`],
    ['from a list that was cut off', `["${firstId}", "${secondId}", "${thirdId}"`],
    ['from objects', `[{"id":"${firstId}"},{"task_id":"${secondId}","id":7},{"taskId":${thirdId}}]`],
    ['from consecutive objects', `{"id":"${firstId}"}\n{"id":"${secondId}"} {"id":"${thirdId}"}`],
    ['from a request', JSON.stringify({ ids: [firstId, secondId, thirdId] })],
    [
      'from a response of a gateway',
      JSON.stringify({
        code: 'success',
        data: [{ task_id: firstId, data: [{ id: 'clip-1' }] }, { task_id: secondId, data: [] }, { task_id: thirdId }],
      }),
    ],
    [
      'from URLs',
      `https://a.example/music/fetch/${firstId} <http://b.example/x/${secondId}/?y=1> https://c.example/?id=${thirdId}`,
    ],
    ['from a mixture of formats', `${firstId} ["${secondId}"], https://c.example/${thirdId}.`],
    ['once each from text with duplicates', `${firstId} ${firstId} ${secondId} ${thirdId} ${secondId}`],
  ])('Song ids are read %s', (_how, text) => {
    expect(readIds(text)).toEqual({ ids: [firstId, secondId, thirdId], invalid: [] });
  });

  it('Song ids are read from the response to a submit', () => {
    expect(readIds(JSON.stringify({ code: 'success', message: '', data: firstId })).ids).toEqual([firstId]);
  });

  it.each([
    ['please', ['please']],
    ['https://a.example/', ['https://a.example/']],
    [`${firstId} ../../etc/passwd1`, ['../../etc/passwd1']],
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
