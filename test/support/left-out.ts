import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import type { Reporter } from 'vitest/node';

/** Says in a run's last lines which test files it leaves out. */
export class LeftOut implements Reporter {
  readonly #patterns: readonly string[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  onTestRunEnd(): void {
    const files = globSync('test/**/*.test.ts').filter((file) =>
      this.#patterns.some((pattern) => matchesGlob(file, pattern)),
    );
    if (files.length === 0) return;
    const counts = new Map<string, number>();
    for (const file of files) {
      const name = file.split('/').slice(0, 2).join('/');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const list = [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
    process.stdout.write(`\nLeft out: ${files.length} test files, in ${list}. \`npm run test:all\` runs them, too.\n`);
  }
}
