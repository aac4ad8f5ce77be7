import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cacheArgs } from './support/shipped.ts';

interface Ending {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (script: string, ...args: string[]): Promise<Ending> =>
  new Promise((resolve) => {
    const file = fileURLToPath(new URL(`../${script}`, import.meta.url));
    execFile(process.execPath, [...cacheArgs, file, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });

it.concurrent.each([
  'scripts/check.ts',
  'scripts/check-patterns.ts',
  'scripts/check-wording.ts',
  'scripts/setup.ts',
  'test/chaos/run.ts',
  'test/soak/run.ts',
  'test/support/with-stores.ts',
])('%s shows its help', async (script) => {
  const { code, stdout, stderr } = await run(script, '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Usage: npm run ');
});

it.concurrent.each([
  'scripts/check-patterns.ts',
  'scripts/check-wording.ts',
  'scripts/monitoring.ts',
  'scripts/release.ts',
  'scripts/setup.ts',
  'test/fuzz/run.ts',
])('%s refuses an unknown option without a stack trace', async (script) => {
  const { code, stdout, stderr } = await run(script, '--unknown');
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toMatch(/^Unknown option '--unknown'\. Usage: npm run .+\n$/);
});

it('The bot does not start with an option that it does not know', async () => {
  const { code, stdout, stderr } = await run('src/index.ts', '--unknown');
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toMatch(/^Atelier does not know the option --unknown\. /);
});
