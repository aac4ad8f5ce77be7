import { DiscordAPIError, HTTPError } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openLog } from '../../src/lib/log.ts';
import { GatewayError } from '../../src/services/gateway/index.ts';

const token = 'MTIz.abc.secret-of-the-bot';
const key = 'sk-"quoted\\secret';

function logged(act: (log: ReturnType<typeof openLog>) => void, readable = false): string {
  const lines: string[] = [];
  act(openLog({ level: 'debug', secrets: [token, key], readable, write: (line) => lines.push(line) }));
  return lines.join('');
}

describe.each([true, false])('The log (readable: %s)', (readable) => {
  it('The log never writes a secret, however it is wrapped', () => {
    const error = Object.assign(new Error(`refused ${token}`), { nested: { deep: [key] }, url: `https://x/?k=${key}` });
    const text = logged((log) => {
      log.info({ key, list: [{ token }] }, `with ${token}`);
      log.error({ err: error }, 'failed');
    }, readable);
    expect(text).not.toContain('secret');
    expect(text).toContain('[hidden]');
  });

  it('The log never writes an interaction token from a URL or from an error about one', () => {
    const url = 'https://discord.com/api/v10/webhooks/900000000000000100/aW50ZXJhY3Rpb24tdG9rZW4/messages/@original';
    const callback = 'http://127.0.0.1/api/v10/interactions/900000000000000101/aW50ZXJhY3Rpb24tdG9rZW4/callback';
    const text = logged(
      (log) => log.error({ err: Object.assign(new Error(url), { url: callback }) }, 'failed'),
      readable,
    );
    expect(text).not.toContain('aW50ZXJhY3Rpb24tdG9rZW4');
    expect(text).toContain('/messages/@original');
  });
});

const PRIVATE = 'geheimnisvolle Worte';

/** Every kind of throwable value that may contain text from members. */
const throwing: readonly (readonly [string, () => unknown])[] = [
  [
    'an error of Discord that quotes what it refuses, with its request',
    () =>
      new DiscordAPIError(
        {
          code: 50035,
          message: `Invalid Form Body: ${PRIVATE}`,
          errors: { content: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message: `"${PRIVATE}" is too long` }] } },
        },
        50035,
        400,
        'PATCH',
        `http://127.0.0.1/api/v10/webhooks/900000000000000100/token/messages/@original?q=${encodeURIComponent(PRIVATE)}`,
        { body: { content: PRIVATE }, files: [{ name: `${PRIVATE}.png`, data: Buffer.from(PRIVATE) }] },
      ),
  ],
  [
    'an error of HTTP with its request',
    () => new HTTPError(500, PRIVATE, 'POST', 'http://127.0.0.1/x', { body: { content: PRIVATE }, files: undefined }),
  ],
  ['a refusal from the gateway', () => new GatewayError(`Bad prompt: ${PRIVATE}`, { kind: 'invalid', code: PRIVATE })],
  ['a schema violation', () => z.object({ prompt: z.literal('x') }).safeParse({ prompt: PRIVATE }).error],
  ['invalid JSON', () => caught(() => JSON.parse(`${PRIVATE} {`))],
  ['an invalid number', () => caught(() => BigInt(PRIVATE))],
  ['an invalid argument', () => caught(() => Buffer.from('x', PRIVATE as 'hex'))],
  ['a cause', () => new Error('failed', { cause: new SyntaxError(PRIVATE) })],
  ['several errors at once', () => new AggregateError([new SyntaxError(PRIVATE)], 'all failed')],
  [
    'an error with more on it',
    () => Object.assign(new Error('failed'), { detail: PRIVATE, command: { args: [PRIVATE] } }),
  ],
  ['an overridden name', () => Object.assign(new Error('failed'), { name: PRIVATE })],
  ['a message that looks like a stack', () => new SyntaxError(`x\n    at ${PRIVATE} (/x:1:1)`)],
  ['a quotation mark in the message', () => new TypeError(`Received type string ('it''s "${PRIVATE}"')`)],
  ['a thrown string', () => PRIVATE],
  ['bytes', () => Buffer.from(PRIVATE)],
];

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe.each([true, false])('A thrown value in the log (readable: %s)', (readable) => {
  it.each(throwing)('A thrown value is logged without text from outside: %s', (_what, make) => {
    const thrown = make();
    const text = logged((log) => {
      log.error({ err: thrown }, 'failed');
      if (typeof thrown === 'object') log.error({ error: { deep: [thrown] } }, 'failed');
      if (thrown instanceof Error) log.error(thrown);
      if (thrown instanceof Error) log.error({ err: thrown });
    }, readable);
    expect(text).not.toContain('geheim');
    expect(text).not.toContain(Buffer.from(PRIVATE).toString('base64'));
    expect(text).not.toContain(encodeURIComponent(PRIVATE));
    // As pino would spell bytes.
    expect(text).not.toContain(String([...Buffer.from('geheim')]));
  });

  it('An error is logged with its type, its stack and its cause', () => {
    const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const text = logged(
      (log) => log.error({ err: new TypeError('x is not a function', { cause }) }, 'failed'),
      readable,
    );
    for (const told of ['TypeError', 'x is not a function', 'log.test.ts:', 'ECONNRESET']) expect(text).toContain(told);
  });

  it('A refusal from Discord is logged with its code, its route and the rejected fields', () => {
    const text = logged((log) => log.error({ err: throwing[0]?.[1]() }, 'failed'), readable);
    for (const told of ['50035', '400', 'PATCH', '/messages/@original', 'content: BASE_TYPE_BAD_LENGTH'])
      expect(text).toContain(told);
    expect(text).not.toContain('/token/');
  });

  it('A log line has a limited length', () => {
    const long = 'x'.repeat(4_000_000);
    const facts = {
      long,
      many: Array.from({ length: 10_000 }, () => long),
      err: new Error(long, { cause: new Error(long) }),
    };
    expect(logged((log) => log.error(facts, 'failed'), readable).length).toBeLessThan(50_000);
  });

  it('A log line contains no terminal control sequence', () => {
    const commands = '\u001b[2J\u009b31m\u0007\r\u007f\u202e\u2028';
    const text = logged((log) => {
      log.warn({ word: commands, [commands]: [commands], err: new Error(`a${commands}b`) }, `said ${commands}`);
    }, readable);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
    expect(text).toContain('\\u009b31m');
  });
});

describe('The log', () => {
  it('The log writes JSON for machines and one line for people', () => {
    expect(JSON.parse(logged((log) => log.warn({ route: '/x' }, 'slow')))).toMatchObject({
      level: 40,
      route: '/x',
      msg: 'slow',
    });
    expect(logged((log) => log.warn({ route: '/x' }, 'slow'), true)).toMatch(
      /^\d\d:\d\d:\d\d warn {2}slow route=\/x\n$/,
    );
  });

  it('The log writes nothing below its level', () => {
    const lines: string[] = [];
    openLog({ level: 'warn', secrets: [], readable: false, write: (line) => lines.push(line) }).info('quiet');
    expect(lines).toEqual([]);
  });
});
