import { describe } from 'vitest';
import { onServers, type TestStore } from '../../services/store/sites.ts';

const isEnabled = process.env.TEST_CLUSTER === 'on';

/** Tests that start many processes and run for minutes. Run in parallel with other tests, they would make those exceed their time limits. */
export function onServersIfEnabled(tests: (site: () => Promise<TestStore>) => void): void {
  const reason = isEnabled ? '' : ' (skipped: takes minutes and many processes, see npm run test:cluster)';
  describe.skipIf(!isEnabled)(`A cluster of many processes${reason}`, () => onServers(tests));
}
