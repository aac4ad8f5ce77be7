import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runScriptHere } from '../../support/run-script-here.ts';
import { cacheArgs } from '../../support/shipped.ts';

const command = fileURLToPath(new URL('../../../sandbox/gateway/start.ts', import.meta.url));

function run(...options: string[]): {
  child: ChildProcess;
  readOutput: () => string;
  ended: Promise<number | null>;
  ready: Promise<string>;
} {
  const child = spawn(process.execPath, [...cacheArgs, command, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
        if (url && text.includes('_sandbox')) resolve(url);
      });
    }
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, readOutput: () => text, ended, ready };
}

describe('The command for the embedded gateway', () => {
  it('The embedded gateway’s command prints the gateway’s URL and examples, serves requests and stops cleanly', async () => {
    const { child, readOutput, ended, ready } = run(
      '--port',
      '0',
      '--speed',
      '10',
      '--key',
      'sk-try',
      '--profile',
      'stock',
    );
    const url = await ready;
    expect(readOutput()).toContain(`curl ${url}/v1/models -H 'Authorization: Bearer sk-try'`);
    expect(readOutput()).toContain('/_sandbox/faults');
    const response = await request(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-try' } });
    expect(await response.body.json()).toMatchObject({ success: true });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it.each([
    [['--speed', 'fast'], /--speed must be a number above 0/],
    [['--port', '70000'], /--port must be a number from 0 to 65535/],
    [['--profile', 'wild'], /--profile must be spec or stock/],
    [['--key', 'a b'], /--key/],
    [['--colour', 'red'], /--port, --speed, --key and --profile/],
    [['--port'], /--port, --speed, --key and --profile/],
  ])(
    'The embedded gateway’s command rejects the options %j with one sentence and exit code 64',
    { tags: ['breadth'] },
    async (options, expectedMessage) => {
      const { code, output } = await runScriptHere('sandbox/gateway/start.ts', { args: options });
      expect(code).toBe(64);
      expect(output.trim().split('\n')).toHaveLength(1);
      expect(output).toMatch(expectedMessage);
    },
  );

  it('The embedded gateway’s command explains what to do about a port that is already in use', {
    tags: ['breadth'],
  }, async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as { port: number };
    const { readOutput, ended } = run('--port', String(port));
    expect(await ended).toBe(64);
    expect(readOutput()).toMatch(new RegExp(`^Port ${port} is in use\\. .*--port.*\n$`));
  });
});
