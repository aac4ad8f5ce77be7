import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/lib/exact-json.ts';
import { containsError, toGatewayError } from '../../../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { readSnapshot, readSubmission } from '../../../../src/services/gateway/read/reader.ts';
import { place } from './body.ts';
import { expectSound } from './sound-snapshot.ts';
import { answers, nested } from './strange.ts';

const families = ['imgx', 'image', 'video', 'music'] as const;
const runs = { numRuns: 400 };
const KINDS =
  'unauthorized forbidden quota not-found invalid rate-limited unavailable not-offered malformed unreachable'.split(
    ' ',
  );

/** The result of a reader for a response; undefined if it throws the one allowed error. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function readTask(family: (typeof families)[number], answer: unknown): { words: string[] } {
  const words: string[] = [];
  const notices = { onUnknownStatus: (_: string, word: string) => words.push(word), onFoundBySearch: () => undefined };
  const snapshot = attempt(() => readSnapshot(family, answer, place, notices));
  if (snapshot) expectSound(snapshot);
  return { words };
}

function readOrder(family: (typeof families)[number], answer: unknown): void {
  const submission = attempt(() => readSubmission(family, answer));
  if (!submission) return;
  expect(submission.remoteId).toMatch(/\S/);
  expect(typeof submission.needsInput).toBe('boolean');
  if (submission.queuedBehind !== undefined) expect(Number.isFinite(submission.queuedBehind)).toBe(true);
}

function readError(body: unknown, status: number, isSubmit: boolean): void {
  const error = toGatewayError({ status, body, isSubmit, missing: 'not-found', secrets: ['sk-secret'] });
  expect(error).toBeInstanceOf(GatewayError);
  expect(KINDS).toContain(error.kind);
  expect(error.message.length).toBeGreaterThan(0);
  expect(error.message.length).toBeLessThanOrEqual(600);
  expect(error.message).not.toMatch(/\p{Cc}|<html/u);
  for (const text of [error.code, error.type]) expect(text === undefined || typeof text === 'string').toBe(true);
  if (error.retryAfterMs !== undefined)
    expect(Number.isFinite(error.retryAfterMs) && error.retryAfterMs >= 0).toBe(true);
  if (!isSubmit) expect(error.mayHaveTakenEffect).toBe(false);
}

describe('Arbitrary JSON', () => {
  it.each(families)('The %s reader turns arbitrary JSON into a valid snapshot or throws a GatewayError', (family) => {
    fc.assert(
      fc.property(answers, (text) => {
        const { words } = readTask(family, parseExact(text));
        expect(words.length).toBeLessThanOrEqual(1);
      }),
      runs,
    );
  });

  it.each(families)('Arbitrary JSON is read as a %s submission or throws a GatewayError', (family) => {
    fc.assert(
      fc.property(answers, (text) => readOrder(family, parseExact(text))),
      runs,
    );
  });

  it('Arbitrary JSON always becomes an error with valid fields', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 200, max: 599 }), fc.boolean(), (text, status, isSubmit) => {
        readError(parseExact(text), status, isSubmit);
      }),
      runs,
    );
  });

  it('Any text becomes an error, even when it is not JSON', () => {
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
            missing: 'not-found',
            secrets: [],
          });
          expect(error.message).not.toMatch(/\p{Cc}/u);
          expect(error.message).not.toBe('');
        },
      ),
      runs,
    );
  });

  it('Arbitrary JSON is checked for a hidden error without failing', () => {
    fc.assert(
      fc.property(answers, (text) => typeof containsError(parseExact(text), false) === 'boolean'),
      runs,
    );
  });
});

const video = 'https://cdn.example/film.mp4';
const many = (item: unknown): unknown[] => Array.from({ length: 100_000 }, () => item);

const oversized: [string, unknown][] = [
  ['lists in lists', nested(10_000, '', video)],
  ['data in data', nested(10_000, 'data', { id: 't', status: 'SUCCESS', url: video })],
  ['data in data around a state', { id: 't', task_id: 't', status: 'SUCCESS', data: nested(10_000, 'data', video) }],
  ['errors in errors', nested(10_000, 'error', { message: 'm' })],
  ['a failed task with errors in errors', { id: 't', status: 'failed', error: nested(10_000, 'error', 'm') }],
  [
    'lists as JSON text',
    { id: 't', task_id: 't', status: 'SUCCESS', data: `${'['.repeat(10_000)}1.50${']'.repeat(10_000)}` },
  ],
  ['a long list of images', { id: 't', status: 'SUCCESS', data: many({ url: video, image_url: video }) }],
  [
    'a long list of addresses',
    { id: 't', status: 'SUCCESS', imageUrls: many(video), videos: many(video), images: many(video) },
  ],
  ['a long list of clips', { task_id: 't', status: 'SUCCESS', data: many({ id: 'c', audio_url: video }) }],
  ['a long list of buttons', { id: 't', status: 'SUCCESS', buttons: many({ customId: 'a', label: 'U1' }) }],
  ['a long list of nulls', { id: 't', status: 'SUCCESS', data: many(null), url: many({}) }],
  ['a long list', many({ id: 't', status: 'SUCCESS' })],
  ['a long map', Object.fromEntries(many(0).map((_, at) => [`k${at}`, { url: video }]))],
  ['a long word', { id: 't', status: 'x'.repeat(1_000_000), progress: '9'.repeat(1_000_000) }],
  ['a long address', { id: 't', status: 'SUCCESS', url: `https://cdn.example/${'x'.repeat(1_000_000)}` }],
  [
    'names of JavaScript',
    parseExact('{"__proto__":{"status":"SUCCESS","id":"t"},"constructor":{"prototype":{"url":"x"}},"toString":1}'),
  ],
  [
    'names of JavaScript as values',
    { id: '__proto__', status: 'constructor', action: 'toString', data: ['__proto__'] },
  ],
];

describe('An oversized response', () => {
  it.each(oversized)('An oversized response is read like any other: %s', (_what, answer) => {
    for (const family of families) {
      readTask(family, answer);
      readOrder(family, answer);
    }
    readError(answer, 500, true);
    expect(typeof containsError(answer, false)).toBe('boolean');
    expect(Object.hasOwn(Object.prototype, 'status')).toBe(false);
  });

  it('An oversized response has its images, tracks and buttons limited to what can be shown', () => {
    const notices = { onUnknownStatus: () => undefined, onFoundBySearch: () => undefined };
    const answer = {
      id: 't',
      task_id: 't',
      status: 'SUCCESS',
      data: many({ id: 'c', url: video, audio_url: video }),
      imageUrls: many(video),
      videos: many(video),
      buttons: many({ customId: 'a' }),
    };
    for (const family of families) {
      const { media, tracks, actions } = readSnapshot(family, answer, place, notices);
      expect(Math.max(media.length, tracks.length, actions.length)).toBeLessThanOrEqual(200);
    }
  });
});
