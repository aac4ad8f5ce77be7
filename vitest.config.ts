import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const IN_MEMORY = '/dev/shm';
/** The stores and files of all tests that run at the same time, with a lot to spare. */
const ROOM_IN_MEMORY = 4 * 2 ** 30;

/** Stores wait for the disk at each write. Where a folder lies in memory, and has the room, tests need not. */
function temporary(): { TMPDIR: string } | undefined {
  if (!existsSync(IN_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ROOM_IN_MEMORY ? { TMPDIR: IN_MEMORY } : undefined;
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Loading the bot and the embedded sides costs more than most files' tests do: a process loads them once, for many files.
    isolate: false,
    setupFiles: ['test/support/each-file.ts'],
    // Real servers and a real encoder on small machines: a test that hangs is found, a slow one is let finish.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Without this, what has not come about within a second on a busy machine is a failure.
    expect: { poll: { timeout: 20_000 } },
    // Most of the time a test waits for others: four share two cores well.
    maxWorkers: 4,
    // Most of what a test makes lives as long as the test; with little room for the young it would be copied again and again.
    execArgv: ['--max-semi-space-size=64'],
    env: { ...temporary() },
  },
});
