import { exec } from 'node:child_process';
import { runWithoutOptions } from './usage.ts';
import { useHooks } from './wording/hooks.ts';

/** The longest first. */
const CHECKS = ['types', 'patterns', 'lint', 'dead', 'house', 'wording', 'locales'];
const MAX_OUTPUT_BYTES = 2 ** 26;

const check = (name: string) =>
  new Promise<{ failed: boolean; output: string }>((resolve) => {
    exec(`npm run check:${name}`, { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });

const DOES = 'Checks types, lint, format, who imports whom, dead code, regular expressions, wording and languages.';

await runWithoutOptions('npm run check', DOES, async () => {
  // Here, because `npm ci` runs no scripts.
  if (useHooks('.')) console.log('From now on, git checks the subjects of commits in this clone (.githooks).');
  // They run side by side, and each prints its output in one piece.
  for (const ended of CHECKS.map(check)) {
    const { failed, output } = await ended;
    process.stdout.write(output);
    if (failed) process.exitCode = 1;
  }
});
