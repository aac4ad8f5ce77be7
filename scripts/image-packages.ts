import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/**
 * The packages of the container image: the bot's dependencies, and the drivers for Redis and Postgres. The npm package
 * of Node.js is left out, because the base image already contains it. `npm ci` still takes every version and digest
 * from the lockfile.
 */
export function imageDependencies({ dependencies, peerDependencies }: Manifest): Record<string, string> {
  return { ...dependencies, ...peerDependencies };
}

/** Files in `node_modules` for compilers and debuggers. */
const unusedFiles: readonly string[] = ['**/*.map', '**/*.d.{ts,cts,mts}'];

/** The Dockerfile calls this before and after `npm ci`. */
function run(step: string | undefined): void {
  if (step === 'select') {
    const { devDependencies, peerDependencies, peerDependenciesMeta, optionalDependencies, ...manifest } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    );
    const dependencies = imageDependencies({ ...manifest, peerDependencies });
    writeFileSync('package.json', JSON.stringify({ ...manifest, dependencies }));
  } else if (step === 'prune') {
    for (const path of globSync([...unusedFiles], { cwd: 'node_modules' }))
      rmSync(join('node_modules', path), { recursive: true, force: true });
  } else {
    throw new Error('Usage: image-packages.ts select | prune');
  }
}

if (import.meta.main) run(process.argv[2]);
