import { afterEach } from 'vitest';
import { end } from './ending.ts';

// Run for each test file. The modules that a test file imports are kept for the next one in the same process, so a hook that
// one of them registered by itself would be there for the first file only.
afterEach(end);
