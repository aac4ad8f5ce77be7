import { DiscordAPIError, HTTPError } from '@discordjs/rest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLogger } from '../../src/lib/log.ts';
import { reasonOf } from '../../src/lib/loggable.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';

const token = 'MTIz.abc.secret-of-the-bot';
const key = 'sk-"quoted\\secret';

function logOutput(action: (log: ReturnType<typeof createLogger>) => void, isReadable = false): string {
  const lines: string[] = [];
  action(
    createLogger({ level: 'debug', secrets: [token, key], isPretty: isReadable, write: (line) => lines.push(line) }),
  );
  return lines.join('');
}

describe.each([true, false])('The log (readable: %s)', (isReadable) => {
  it('The log never writes a secret, however it is wrapped', () => {
    const error = Object.assign(new Error(`refused ${token}`), { nested: { deep: [key] }, url: `https://x/?k=${key}` });
    const text = logOutput((log) => {
      log.info({ key, list: [{ token }] }, `with ${token}`);
      log.error({ err: error }, 'failed');
    }, isReadable);
    expect(text).not.toContain('secret');
    expect(text).toContain('[hidden]');
  });

  it('The log never writes an interaction token from a URL or from an error about one', () => {
    const url = 'https://discord.com/api/v10/webhooks/900000000000000100/aW50ZXJhY3Rpb24tdG9rZW4/messages/@original';
    const callback = 'http://127.0.0.1/api/v10/interactions/900000000000000101/aW50ZXJhY3Rpb24tdG9rZW4/callback';
    const text = logOutput(
      (log) => log.error({ err: Object.assign(new Error(url), { url: callback }) }, 'failed'),
      isReadable,
    );
    expect(text).not.toContain('aW50ZXJhY3Rpb24tdG9rZW4');
    expect(text).toContain('/messages/@original');
  });
});

it('The reason of a system error is its code, whose message names hosts and files', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' });
  expect(reasonOf(error)).toBe('ECONNREFUSED');
});

const PRIVATE_TEXT = 'geheimnisvolle Worte';

/** Every kind of throwable value that may contain text from members. */
const throwables: readonly (readonly [string, () => unknown])[] = [
  [
    'an error from Discord that quotes the refused input, with its request',
    () =>
      new DiscordAPIError(
        {
          code: 50035,
          message: `Invalid Form Body: ${PRIVATE_TEXT}`,
          errors: {
            content: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message: `"${PRIVATE_TEXT}" is too long` }] },
          },
        },
        50035,
        400,
        'PATCH',
        `http://127.0.0.1/api/v10/webhooks/900000000000000100/token/messages/@original?q=${encodeURIComponent(PRIVATE_TEXT)}`,
        { body: { content: PRIVATE_TEXT }, files: [{ name: `${PRIVATE_TEXT}.png`, data: Buffer.from(PRIVATE_TEXT) }] },
      ),
  ],
  [
    'an HTTP error with its request',
    () =>
      new HTTPError(500, PRIVATE_TEXT, 'POST', 'http://127.0.0.1/x', {
        body: { content: PRIVATE_TEXT },
        files: undefined,
      }),
  ],
  [
    'a refusal from the gateway',
    () => new GatewayError(`Bad prompt: ${PRIVATE_TEXT}`, { kind: 'invalid', code: PRIVATE_TEXT }),
  ],
  ['a schema violation', () => z.object({ prompt: z.literal('x') }).safeParse({ prompt: PRIVATE_TEXT }).error],
  ['invalid JSON', () => errorThrownBy(() => JSON.parse(`${PRIVATE_TEXT} {`))],
  ['an invalid number', () => errorThrownBy(() => BigInt(PRIVATE_TEXT))],
  ['an invalid argument', () => errorThrownBy(() => Buffer.from('x', PRIVATE_TEXT as 'hex'))],
  ['a cause', () => new Error('failed', { cause: new SyntaxError(PRIVATE_TEXT) })],
  ['several errors at once', () => new AggregateError([new SyntaxError(PRIVATE_TEXT)], 'all failed')],
  [
    'an error with additional properties',
    () => Object.assign(new Error('failed'), { detail: PRIVATE_TEXT, command: { args: [PRIVATE_TEXT] } }),
  ],
  ['an overridden name', () => Object.assign(new Error('failed'), { name: PRIVATE_TEXT })],
  ['a message that looks like a stack', () => new SyntaxError(`x\n    at ${PRIVATE_TEXT} (/x:1:1)`)],
  ['a quotation mark in the message', () => new TypeError(`Received type string ('it''s "${PRIVATE_TEXT}"')`)],
  ['a thrown string', () => PRIVATE_TEXT],
  ['bytes', () => Buffer.from(PRIVATE_TEXT)],
];

function errorThrownBy(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

describe.each([true, false])('A thrown value in the log (readable: %s)', (isReadable) => {
  it.each(throwables)('A thrown value is logged without external text: %s', (_name, make) => {
    const thrown = make();
    const text = logOutput((log) => {
      log.error({ err: thrown }, 'failed');
      if (typeof thrown === 'object') log.error({ error: { deep: [thrown] } }, 'failed');
      if (thrown instanceof Error) log.error(thrown);
      if (thrown instanceof Error) log.error({ err: thrown });
    }, isReadable);
    expect(text).not.toContain('geheim');
    expect(text).not.toContain(Buffer.from(PRIVATE_TEXT).toString('base64'));
    expect(text).not.toContain(encodeURIComponent(PRIVATE_TEXT));
    // This is how pino would write the bytes.
    expect(text).not.toContain(String([...Buffer.from('geheim')]));
  });

  it('An error is logged with its type, its stack and its cause', () => {
    const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const text = logOutput(
      (log) => log.error({ err: new TypeError('x is not a function', { cause }) }, 'failed'),
      isReadable,
    );
    for (const expected of ['TypeError', 'x is not a function', 'log.test.ts', 'ECONNRESET'])
      expect(text).toContain(expected);
  });

  it('A refusal from Discord is logged with its code, its route and the rejected fields', () => {
    const text = logOutput((log) => log.error({ err: throwables[0]?.[1]() }, 'failed'), isReadable);
    for (const expected of ['50035', '400', 'PATCH', '/messages/@original', 'content: BASE_TYPE_BAD_LENGTH'])
      expect(text).toContain(expected);
    expect(text).not.toContain('/token/');
  });

  it('A log line has a limited length', () => {
    const longText = 'x'.repeat(4_000_000);
    const fields = {
      long: longText,
      many: Array.from({ length: 10_000 }, () => longText),
      err: new Error(longText, { cause: new Error(longText) }),
    };
    expect(logOutput((log) => log.error(fields, 'failed'), isReadable).length).toBeLessThan(50_000);
  });

  it('A log line contains no terminal control sequence', () => {
    const controlCharacters = '\u001b[2J\u009b31m\u0007\r\u007f\u202e\u2028';
    const text = logOutput((log) => {
      log.warn(
        { word: controlCharacters, [controlCharacters]: [controlCharacters], err: new Error(`a${controlCharacters}b`) },
        `said ${controlCharacters}`,
      );
    }, isReadable);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
    expect(text).toContain('\\u009b31m');
  });
});

describe('The log', () => {
  it('The log writes JSON for machines and one line for people', () => {
    expect(JSON.parse(logOutput((log) => log.warn({ route: '/x' }, 'slow')))).toMatchObject({
      level: 40,
      route: '/x',
      msg: 'slow',
    });
    expect(logOutput((log) => log.warn({ route: '/x' }, 'slow'), true)).toMatch(
      /^\d\d:\d\d:\d\d warn {2}slow route=\/x\n$/,
    );
  });

  it('The log writes nothing below its level', () => {
    const lines: string[] = [];
    createLogger({ level: 'warn', secrets: [], isPretty: false, write: (line) => lines.push(line) }).info('quiet');
    expect(lines).toEqual([]);
  });
});
