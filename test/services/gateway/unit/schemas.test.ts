import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import * as schemas from '../../../../src/services/gateway/schemas.ts';

const { validate } = schemas;

/** The validation message for invalid input; undefined if the input is valid. */
function validationMessage(schema: z.ZodType, input: unknown): string | undefined {
  try {
    validate(schema, input);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error).toMatchObject({ kind: 'invalid', code: 'bad_input', mayHaveTakenEffect: false });
    return error.message;
  }
}

describe('A date in a request', () => {
  it.each(['2026-01-31', '2024-02-29', '2000-02-29', '2026-12-31', '0001-01-01'])(
    'A date in a request may be %s',
    (text) => {
      expect(validationMessage(schemas.day, text)).toBeUndefined();
    },
  );

  it.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
    '2026-1-1',
    '26-01-01',
    '2026/01/01',
    '01-01-2026',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '２０２６-01-01',
    'today',
    '',
  ])('A date in a request may not be "%s"', (text) => {
    expect(validationMessage(schemas.day, text)).toContain('YYYY-MM-DD');
  });
});

describe('A data URI in a request', () => {
  it.each([
    'data:image/png;base64,AAAA',
    'data:image/png;base64,AAA=',
    'data:image/jpeg;base64,AA==',
    'data:image/svg+xml;base64,AAAA',
    'DATA:IMAGE/PNG;BASE64,AAAA',
    'data:image/png;charset=utf-8;base64,AAAA',
    `data:image/png;base64,${'AAAA'.repeat(500_000)}`,
  ])('A data URI in a request may be %.60s', (text) => {
    expect(validationMessage(schemas.imageDataUri, text)).toBeUndefined();
    expect(validationMessage(schemas.imageSource, text)).toBeUndefined();
  });

  it.each([
    ['that is empty', ''],
    ['that consists of a header only', 'data:image/png;base64,'],
    ['without a type', 'data:;base64,AAAA'],
    ['without base64', 'data:image/png,AAAA'],
    ['with base64 misspelt', 'data:image/png;base46,AAAA'],
    ['without a comma', 'data:image/png;base64AAAA'],
    ['without the scheme', 'image/png;base64,AAAA'],
    ['that is plain base64', 'iVBORw0KGgoAAAA='],
    ['that is shortened by one character', 'data:image/png;base64,AAA'],
    ['with too much padding', 'data:image/png;base64,A==='],
    ['that consists of padding only', 'data:image/png;base64,===='],
    ['with padding in the middle', 'data:image/png;base64,AA==AAAA'],
    ['in the URL-safe alphabet', 'data:image/png;base64,AA-_'],
    ['with a space', 'data:image/png;base64,AA AAAAA'],
    ['with a line break', 'data:image/png;base64,AAAA\nAAAA'],
    ['with a line break at the end', 'data:image/png;base64,AAA\n'],
    ['with a space before it', ' data:image/png;base64,AAAA'],
    ['that is garbled near the end', `data:image/png;base64,${'AAAA'.repeat(1_000)}A%AA`],
  ])('A data URI in a request may not be one %s', (_what, text) => {
    expect(validationMessage(schemas.imageDataUri, text)).toContain('data URI');
    expect(validationMessage(schemas.imageSource, text)).toContain('data URI');
  });
});

describe('A web URL in a request', () => {
  it.each(['https://cdn.example/a.png?x=1', 'http://cdn.example', 'HTTPS://cdn.example/a'])(
    'A web URL in a request may be %s',
    (text) => {
      expect(validationMessage(schemas.webAddress, text)).toBeUndefined();
    },
  );

  it.each([
    '',
    'cdn.example/a.png',
    '/a.png',
    '//cdn.example/a.png',
    'ftp://cdn.example/a.png',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'https://',
    'https://user:word@cdn.example/',
    'https://user@cdn.example/',
    'https:cdn.example/a.png',
    'https:/cdn.example/a.png',
    'https://cdn.example/a.png and more',
    ' https://cdn.example/a.png',
    'https://cdn.example/a.png\n',
  ])('A web URL in a request may not be %j', (text) => {
    expect(validationMessage(schemas.webAddress, text)).toContain('web address');
  });
});

describe('A size in a request', () => {
  it.each(['1x1', '1280x720', '99999x1'])('A size in a request may be %s', (text) => {
    expect(validationMessage(schemas.frameSize, text)).toBeUndefined();
  });

  it.each([
    '',
    '1280',
    '1280x',
    'x720',
    '0x720',
    '1280x0',
    '01280x720',
    '1280X720',
    '1280×720',
    '1280*720',
    '1280 x 720',
    '-1x1',
    '1.5x1',
    '16:9',
    '100000x1',
    '1280x720\n',
  ])('A size in a request may not be %j', (text) => {
    expect(validationMessage(schemas.frameSize, text)).toContain('1280x720');
  });
});

describe('A duration in a request', () => {
  it.each([5, '5', '5.5', '10'])('A duration in a request may be %j', (input) => {
    expect(validationMessage(schemas.seconds, input)).toBeUndefined();
    expect(validate(schemas.seconds, input)).toBe(input);
  });

  it.each([
    0,
    0.5,
    5.5,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    '0',
    '-5',
    '5s',
    'five',
    '1e3',
    '5.',
    ' 5',
    null,
    true,
  ])('A duration in a request may not be %j, with a readable error message', (input) => {
    expect(validationMessage(schemas.seconds, input)).toBe(
      'this is not a duration: write whole seconds, for example 5',
    );
  });
});

describe('An index in a request', () => {
  it.each([1, 2, 3, 4])('An index in a request may be %i', (index) => {
    expect(validationMessage(schemas.gridIndex, index)).toBeUndefined();
  });

  it.each([0, 5, -1, 1.5, '2', Number.NaN])(
    'An index in a request may not be %j, with a readable error message',
    (index) => {
      expect(validationMessage(schemas.gridIndex, index)).toBe('the index goes from 1 to 4');
    },
  );
});

describe('Required text in a request', () => {
  it.each(['', ' ', '\n\t'])('Required text in a request may not be %j', (text) => {
    expect(validationMessage(schemas.promptText, text)).toBe('the prompt is empty: write what you want to see');
    expect(validationMessage(schemas.modelId, text)).toContain('the model is missing');
    expect(validationMessage(schemas.taskId, text)).toBe('the task id is missing');
  });

  it('Required text in a request is reported as empty when it is missing', () => {
    expect(validationMessage(z.strictObject({ prompt: schemas.promptText }), {})).toBe(
      'prompt: the prompt is empty: write what you want to see',
    );
  });

  it('Required text in a request is sent unchanged', () => {
    expect(validate(schemas.promptText, ' a cat\n--ar 16:9 ')).toBe(' a cat\n--ar 16:9 ');
    expect(validate(schemas.promptText, 'x'.repeat(100_000))).toHaveLength(100_000);
  });
});

describe('A validation message about a request', () => {
  it('A validation message about a request names the field that it concerns', () => {
    const request = z.strictObject({ pictures: z.array(schemas.imageDataUri) });
    expect(validationMessage(request, { pictures: ['data:image/png;base64,AAAA', 'x'] })).toMatch(/^pictures\.1: /);
  });
});
