import { describe, expect, it } from 'vitest';
import { openLog } from '../../src/lib/log.ts';

const token = 'MTIz.abc.secret-of-the-bot';
const key = 'sk-"quoted\\secret';

function logged(act: (log: ReturnType<typeof openLog>) => void, readable = false): string {
  const lines: string[] = [];
  act(openLog({ level: 'debug', secrets: [token, key], readable, write: (line) => lines.push(line) }));
  return lines.join('');
}

describe.each([true, false])('the log (readable: %s)', (readable) => {
  it('never writes a secret, in whatever it is wrapped', () => {
    const error = Object.assign(new Error(`refused ${token}`), { nested: { deep: [key] }, url: `https://x/?k=${key}` });
    const text = logged((log) => {
      log.info({ key, list: [{ token }] }, `with ${token}`);
      log.error({ err: error }, 'failed');
    }, readable);
    expect(text).not.toContain('secret');
    expect(text).toContain('[hidden]');
  });

  it('never writes the token of an interaction, in an address or an error of one', () => {
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

describe('the log', () => {
  it('is JSON for machines and a line for people', () => {
    expect(JSON.parse(logged((log) => log.warn({ route: '/x' }, 'slow')))).toMatchObject({
      level: 40,
      route: '/x',
      msg: 'slow',
    });
    expect(logged((log) => log.warn({ route: '/x' }, 'slow'), true)).toMatch(
      /^\d\d:\d\d:\d\d warn {2}slow route=\/x\n$/,
    );
  });

  it('writes nothing below its level', () => {
    const lines: string[] = [];
    openLog({ level: 'warn', secrets: [], readable: false, write: (line) => lines.push(line) }).info('quiet');
    expect(lines).toEqual([]);
  });
});
