import { afterEach } from 'vitest';
import { runCleanups } from './ending.ts';

// Runs for each test file. Modules that a test file imports are kept for the next one in the same process, so a
// hook that one of them registered would exist for the first file only.
afterEach(runCleanups);
