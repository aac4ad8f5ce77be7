import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real servers and a real encoder on small machines: a test that hangs is found, a slow one is let finish.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most of the time a test waits for others: three share two cores well.
    maxWorkers: 3,
  },
});
