import { describe } from 'vitest';
import { onServers, type Site } from '../../services/store/sites.ts';

const isAsked = process.env.TEST_CLUSTER === 'on';

/** Tests that start many processes and run for minutes. In parallel with the other tests they would make those exceed their time limits. */
export function onServersIfAsked(tests: (site: () => Promise<Site>) => void): void {
  const why = isAsked ? '' : ' (left out: it takes minutes and many processes, see npm run test:cluster)';
  describe.skipIf(!isAsked)(`A cluster of many processes${why}`, () => onServers(tests));
}
