import { existsSync, statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LeftOut } from './test/support/left-out.ts';

const IN_MEMORY = '/dev/shm';
/** More than the stores and files of all concurrent tests need. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

/** Uses a temporary folder in memory if it has enough space, because stores wait for the disk at every write. */
function temporaryFolder(): { TMPDIR: string } | undefined {
  if (!existsSync(IN_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > MIN_FREE_BYTES ? { TMPDIR: IN_MEMORY } : undefined;
}

/** Without sockets and processes: pure logic, and the domain between a store in memory and a scripted gateway. */
const NEEDS_SOCKETS = ['test/{browser,chaos,contract,deploy,e2e,fuzz,sandbox}/**', '**/*.integration.test.ts'];
/** What proves promises in breadth, or is long by nature. */
const BREADTH = ['test/{chaos,deploy}/**', 'test/e2e/cluster/**', '**/*.breadth.test.ts'];

/** What a run leaves out, by its mode: `npm test` has none of its own. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = { quick: [...NEEDS_SOCKETS, ...BREADTH], all: [] };

/** Tests that take half a minute or more. They start first, so that none of them runs alone at the end. */
const LONGEST = [
  'test/fuzz/growth.breadth',
  'test/browser/page.breadth',
  'test/chaos/chaos',
  'test/e2e/cluster/cluster',
  'test/chaos/money/money',
  'test/e2e/upgrade.breadth',
  'test/e2e/backup',
  'test/e2e/callbacks',
  'test/e2e/tasks/following',
  'test/e2e/store-scripts',
  'test/e2e/tasks/families',
  'test/sandbox/web/troubles.breadth',
  'test/e2e/process',
  'test/discord/shards/sessions.integration',
  'test/discord/shards/identifies.integration',
  'test/discord/shards/killed.integration',
  'test/deploy/npm',
  'test/deploy/image',
  'test/e2e/asks/process',
  'test/e2e/store-lease',
  'test/services/store/lease.integration',
  'test/services/cluster/membership.integration',
  'test/e2e/store-away',
  'test/e2e/tasks/animate',
  'test/e2e/talk/faults.breadth',
  'test/e2e/tasks/hostile',
  'test/services/store/crash.breadth',
  'test/browser/talk.breadth',
];

/** Each starts six processes, which cannot keep their leases beside many other tests on a busy machine. */
const LAST = ['test/chaos/cluster/redis', 'test/chaos/cluster/postgres'];

const missingTests = [...LONGEST, ...LAST].filter((name) => !existsSync(new URL(`${name}.test.ts`, import.meta.url)));
if (missingTests.length > 0) throw new Error(`No such tests: ${missingTests.join(', ')}. Correct their names here.`);

const isTest = (name: string, { moduleId }: TestSpecification): boolean => moduleId.endsWith(`${name}.test.ts`);

/** Without the durations of an earlier run, Vitest orders files by size, which says little about their duration. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = LONGEST.flatMap((name) => sorted.filter((file) => isTest(name, file)));
    const last = LAST.flatMap((name) => sorted.filter((file) => isTest(name, file)));
    const others = sorted.filter((file) => !longest.includes(file) && !last.includes(file));
    return [...longest, ...others, ...last];
  }
}

/** What is compiled once serves all processes. The bot's own `compile-cache.mjs` would also remove globals that tests use. */
const ENABLE_CACHE = `data:text/javascript,${encodeURIComponent(
  `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(fileURLToPath(new URL('node_modules/.cache/atelier', import.meta.url)))});`,
)}`;

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...defaultExclude, ...(LEFT_OUT[mode] ?? BREADTH)],
    tags: [{ name: 'breadth', description: 'Only in `npm run test:all`.' }],
    ...(mode !== 'all' && { tagsFilter: ['!breadth'] }),
    reporters: ['default', new LeftOut(LEFT_OUT[mode] ?? BREADTH)],
    // Loading the bot and the embedded sides takes longer than most test files, so a process loads them once for many files.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node runs TypeScript itself, as it does for the bot. Vite would transform each module first, and slow down each use of an import.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: [...(mode === 'quick' ? ['test/support/no-sockets.ts'] : []), 'test/support/each-file.ts'],
    // No test passes or fails by how fast the machine is: these limits only end tests that hang. A process can take half a minute to start on a busy machine.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 150_000 } },
    // Most tests wait for half of their time, so six workers can share two cores. Those of the quick mode do not wait.
    maxWorkers: mode === 'quick' ? 2 : 6,
    // Most objects live as long as their test; in a small young generation they would be copied repeatedly. Most functions run too seldom for
    // the optimizing compiler, so the first one compiles them at once. What is compiled is kept for the next process and run.
    execArgv: ['--max-semi-space-size=64', '--always-sparkplug', '--import', ENABLE_CACHE],
    env: { ...temporaryFolder() },
  },
}));
