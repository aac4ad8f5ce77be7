import { describe } from 'vitest';
import { onServers, type TestStore } from '../../services/store/sites.ts';

const isEnabled = process.env.TEST_CLUSTER === 'on';

/**
 * Defines tests that start many processes and run for minutes.
 * They run only on request, because tests that run in parallel with them would exceed their time limits.
 */
export function onServersIfEnabled(tests: (createStore: () => Promise<TestStore>) => void): void {
  const reason = isEnabled ? '' : ' (skipped: takes minutes and many processes, see npm run test:cluster)';
  describe.skipIf(!isEnabled)(`A cluster of many processes${reason}`, () => onServers(tests));
}
