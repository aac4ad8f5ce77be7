import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { FileRecord } from './coverage.ts';

declare global {
  /** Filled by the probes in the measured files. */
  var reachedLines: Set<string> | undefined;
}

// Runs for each test file. A worker process runs one file at a time, so what is reached until its end belongs to it.
const folder = process.env.REACHED_LINES_FOLDER;
if (folder !== undefined) {
  const reached = new Set<string>();
  globalThis.reachedLines = reached;
  const cpuAtStart = process.cpuUsage();
  const startedAt = performance.now();
  afterAll(() => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    const record: FileRecord = {
      path: expect.getState().testPath ?? '',
      ms: Math.round(performance.now() - startedAt),
      cpuMs: Math.round((user + system) / 1000),
      reached: [...reached],
    };
    writeFileSync(join(folder, `${process.pid}-${Math.round(startedAt)}.json`), JSON.stringify(record));
  });
}
