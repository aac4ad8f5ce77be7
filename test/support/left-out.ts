import { globSync } from 'node:fs';
import { dirname, matchesGlob } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Says in a run's last lines which test files and cases it leaves out. */
export class LeftOut implements Reporter {
  readonly #patterns: readonly string[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = globSync('test/**/*.test.ts').filter((file) =>
      this.#patterns.some((pattern) => matchesGlob(file, pattern)),
    );
    if (files.length === 0) return;
    const counts = new Map<string, number>();
    for (const file of files) {
      const name = dirname(file).split('/').slice(0, 2).join('/');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const list = [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
    const skippedTests = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
    const caseCount = skippedTests.filter(({ tags }) => tags.includes('breadth')).length;
    process.stdout.write(
      `\nLeft out: ${files.length} test files, in ${list}; and ${caseCount} cases of the other files. \`npm run test:all\` runs them, too.\n`,
    );
  }
}
