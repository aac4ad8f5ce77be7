import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const IN_MEMORY = '/dev/shm';
/** The stores and files of all tests that run at the same time, with a lot to spare. */
const ROOM_IN_MEMORY = 4 * 2 ** 30;

/** Stores wait for the disk at each write. Where a folder lies in memory, and has the room, tests need not. */
function temporary(): { TMPDIR: string } | undefined {
  if (!existsSync(IN_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ROOM_IN_MEMORY ? { TMPDIR: IN_MEMORY } : undefined;
}

/** What takes half a minute and more, so that none of them is left alone at the end of a run. */
const LONGEST = [
  // It counts the steps of code that no test before it has loaded.
  'test/fuzz/growth',
  'test/browser/page',
  'test/chaos/chaos',
  'test/e2e/cluster/failures',
  'test/e2e/cluster/stopping',
  'test/e2e/cluster/rolling',
  'test/e2e/cluster/own-data',
  'test/e2e/cluster/elsewhere',
  'test/e2e/cluster/cluster',
  'test/chaos/money',
  'test/e2e/backup',
  'test/e2e/tasks/following',
  'test/e2e/store-scripts',
  'test/e2e/tasks/families',
  'test/sandbox/web/troubles',
  'test/e2e/process',
  'test/discord/shards/sessions',
  'test/discord/shards/identifies',
  'test/discord/shards/killed',
  'test/deploy/npm',
  'test/deploy/image',
  'test/e2e/asks/process',
  'test/e2e/store-lease',
  'test/services/store/lease',
  'test/e2e/store-away',
  'test/e2e/tasks/animate',
  'test/e2e/talk/faults',
  'test/e2e/tasks/hostile',
  'test/services/store/crash',
  'test/browser/talk',
];

/** Without the durations of an earlier run, files go by their size, which says little of how long they take. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = LONGEST.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(`${name}.test.ts`)));
    return [...longest, ...sorted.filter((file) => !longest.includes(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Loading the bot and the embedded sides costs more than most files' tests do: a process loads them once, for many files.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/each-file.ts'],
    // Real servers and a real encoder on small machines: a test that hangs is found, a slow one is let finish.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Without this, what has not come about within a second on a busy machine is a failure.
    expect: { poll: { timeout: 50_000 } },
    // Most of the time a test waits for others: four share two cores well.
    maxWorkers: 4,
    // Most of what a test makes lives as long as the test; with little room for the young it would be copied again and again.
    execArgv: ['--max-semi-space-size=64'],
    env: { ...temporary() },
  },
});
