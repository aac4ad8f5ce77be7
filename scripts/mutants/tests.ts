import { readFileSync } from 'node:fs';

/** How a script of package.json runs Vitest: `npm test` for `default`, `npm run test:<name>` for another name. */
export function commandOf(tests: string): string | undefined {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return /vitest run[^&|;]*/.exec(scripts[tests === 'default' ? 'test' : `test:${tests}`] ?? '')?.[0].trim();
}
