import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/lib/exact-json.ts';
import { containsError, toGatewayError } from '../../../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { readSnapshot, readSubmission } from '../../../../src/services/gateway/read/reader.ts';
import { responseContext } from './body.ts';
import { expectValidSnapshot } from './sound-snapshot.ts';
import { nest, responses } from './strange.ts';

const families = ['imgx', 'image', 'video', 'music'] as const;
const assertOptions = { numRuns: 150 };
const ERROR_KINDS =
  'unauthorized forbidden quota not-found invalid rate-limited unavailable not-offered malformed unreachable'.split(
    ' ',
  );

/** The result of a reader; undefined if it throws a GatewayError, the only error that is allowed. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function checkTask(family: (typeof families)[number], response: unknown): { unknownStatuses: string[] } {
  const unknownStatuses: string[] = [];
  const notices = {
    onUnknownStatus: (_: string, word: string) => unknownStatuses.push(word),
    onFoundBySearch: () => undefined,
  };
  const snapshot = attempt(() => readSnapshot(family, response, responseContext, notices));
  if (snapshot) expectValidSnapshot(snapshot);
  return { unknownStatuses };
}

function checkSubmission(family: (typeof families)[number], response: unknown): void {
  const submission = attempt(() => readSubmission(family, response));
  if (!submission) return;
  expect(submission.remoteId).toMatch(/\S/);
  expect(typeof submission.needsInput).toBe('boolean');
  if (submission.queuedBehind !== undefined) expect(Number.isFinite(submission.queuedBehind)).toBe(true);
}

function checkError(body: unknown, status: number, isSubmit: boolean): void {
  const error = toGatewayError({ status, body, isSubmit, notFoundKind: 'not-found', secrets: ['sk-secret'] });
  expect(error).toBeInstanceOf(GatewayError);
  expect(ERROR_KINDS).toContain(error.kind);
  expect(error.message.length).toBeGreaterThan(0);
  expect(error.message.length).toBeLessThanOrEqual(600);
  expect(error.message).not.toMatch(/\p{Cc}|<html/u);
  for (const text of [error.code, error.type]) expect(text === undefined || typeof text === 'string').toBe(true);
  if (error.retryAfterMs !== undefined)
    expect(Number.isFinite(error.retryAfterMs) && error.retryAfterMs >= 0).toBe(true);
  if (!isSubmit) expect(error.mayHaveTakenEffect).toBe(false);
}

describe('Arbitrary JSON', () => {
  it('Every reader turns arbitrary JSON into a valid snapshot and a submission, or throws a GatewayError', () => {
    fc.assert(
      fc.property(responses, (text) => {
        const response = parseExact(text);
        for (const family of families) {
          expect(checkTask(family, response).unknownStatuses.length, family).toBeLessThanOrEqual(1);
          checkSubmission(family, response);
        }
        expect(containsError(response, false)).toBeTypeOf('boolean');
      }),
      { ...assertOptions, examples: [['{"id":"t","code":[[{"toString":0}]],"status":"SUCCESS"}']] },
    );
  });

  it('Arbitrary JSON can be converted to an error with valid fields', () => {
    fc.assert(
      fc.property(responses, fc.integer({ min: 200, max: 599 }), fc.boolean(), (text, status, isSubmit) => {
        checkError(parseExact(text), status, isSubmit);
      }),
      assertOptions,
    );
  });

  it('Any text can be converted to an error, even if it is not JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2_000 }),
        fc.integer({ min: 200, max: 599 }),
        (text, status) => {
          const error = toGatewayError({
            status,
            body: undefined,
            text,
            isSubmit: true,
            notFoundKind: 'not-found',
            secrets: [],
          });
          expect(error.message).not.toMatch(/\p{Cc}/u);
          expect(error.message).not.toBe('');
        },
      ),
      assertOptions,
    );
  });
});

const videoUrl = 'https://cdn.example/film.mp4';
const longListOf = (item: unknown): unknown[] => Array.from({ length: 100_000 }, () => item);

const unusualResponses: [string, unknown][] = [
  ['lists in lists', nest(10_000, '', videoUrl)],
  ['data in data', nest(10_000, 'data', { id: 't', status: 'SUCCESS', url: videoUrl })],
  ['data in data around a state', { id: 't', task_id: 't', status: 'SUCCESS', data: nest(10_000, 'data', videoUrl) }],
  ['errors in errors', nest(10_000, 'error', { message: 'm' })],
  ['a failed task with errors in errors', { id: 't', status: 'failed', error: nest(10_000, 'error', 'm') }],
  [
    'lists as JSON text',
    { id: 't', task_id: 't', status: 'SUCCESS', data: `${'['.repeat(10_000)}1.50${']'.repeat(10_000)}` },
  ],
  ['a long list of images', { id: 't', status: 'SUCCESS', data: longListOf({ url: videoUrl, image_url: videoUrl }) }],
  [
    'a long list of URLs',
    {
      id: 't',
      status: 'SUCCESS',
      imageUrls: longListOf(videoUrl),
      videos: longListOf(videoUrl),
      images: longListOf(videoUrl),
    },
  ],
  ['a long list of clips', { task_id: 't', status: 'SUCCESS', data: longListOf({ id: 'c', audio_url: videoUrl }) }],
  ['a long list of buttons', { id: 't', status: 'SUCCESS', buttons: longListOf({ customId: 'a', label: 'U1' }) }],
  ['a long list of nulls', { id: 't', status: 'SUCCESS', data: longListOf(null), url: longListOf({}) }],
  ['a long list', longListOf({ id: 't', status: 'SUCCESS' })],
  ['a long map', Object.fromEntries(longListOf(0).map((_, index) => [`k${index}`, { url: videoUrl }]))],
  ['a long status', { id: 't', status: 'x'.repeat(1_000_000), progress: '9'.repeat(1_000_000) }],
  ['a long URL', { id: 't', status: 'SUCCESS', url: `https://cdn.example/${'x'.repeat(1_000_000)}` }],
  [
    'names that are special in JavaScript',
    parseExact('{"__proto__":{"status":"SUCCESS","id":"t"},"constructor":{"prototype":{"url":"x"}},"toString":1}'),
  ],
  [
    'names that are special in JavaScript as values',
    { id: '__proto__', status: 'constructor', action: 'toString', data: ['__proto__'] },
  ],
];

describe('An oversized or unusual response', () => {
  it.each(unusualResponses)(
    'An oversized or unusual response is read without an unexpected error: %s',
    (_what, response) => {
      for (const family of families) {
        checkTask(family, response);
        checkSubmission(family, response);
      }
      checkError(response, 500, true);
      expect(typeof containsError(response, false)).toBe('boolean');
      expect(Object.hasOwn(Object.prototype, 'status')).toBe(false);
    },
  );

  it('The images, tracks and buttons that are read from an oversized response are limited to what can be shown', () => {
    const notices = { onUnknownStatus: () => undefined, onFoundBySearch: () => undefined };
    const response = {
      id: 't',
      task_id: 't',
      status: 'SUCCESS',
      data: longListOf({ id: 'c', url: videoUrl, audio_url: videoUrl }),
      imageUrls: longListOf(videoUrl),
      videos: longListOf(videoUrl),
      buttons: longListOf({ customId: 'a' }),
    };
    for (const family of families) {
      const { media, tracks, actions } = readSnapshot(family, response, responseContext, notices);
      expect(Math.max(media.length, tracks.length, actions.length)).toBeLessThanOrEqual(200);
    }
  });
});
