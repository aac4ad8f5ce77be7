import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { FileRecord } from './coverage.ts';
import { sources } from './sources.ts';

declare global {
  /** One for the whole process, because functions that were compiled without it would not be counted in full. */
  var coverage: Session | undefined;
}

async function startCoverage(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return session;
}

// Runs for each test file. A worker process runs one file at a time, so what is reached until its end belongs to it.
const session = globalThis.coverage ?? (await startCoverage());
globalThis.coverage = session;
await session.post('Profiler.takePreciseCoverage');
const cpuAtStart = process.cpuUsage();
const startedAt = performance.now();
afterAll(async () => {
  const { user, system } = process.cpuUsage(cpuAtStart);
  const ms = Math.round(performance.now() - startedAt);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const reached = sources.map((path) => {
    const scripts = result.filter(({ url }) => url.endsWith(`/${path}`));
    return [path, scripts.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))];
  });
  const record: FileRecord = {
    path: expect.getState().testPath ?? '',
    ms,
    cpuMs: Math.round((user + system) / 1000),
    reached: Object.fromEntries(reached),
  };
  const folder = process.env.COVERAGE_FOLDER ?? '';
  writeFileSync(join(folder, `${process.pid}-${Math.round(startedAt)}.json`), JSON.stringify(record));
});
