import { describe } from 'vitest';
import { onServers, type Site } from '../../services/store/sites.ts';

const isAsked = process.env.TEST_CLUSTER === 'on';

/** Tests that start many processes, for minutes: beside all others they would take the time limits of those. */
export function onServersIfAsked(tests: (site: () => Promise<Site>) => void): void {
  const why = isAsked ? '' : ' (left out: it takes minutes and many processes, see npm run test:cluster)';
  describe.skipIf(!isAsked)(`A cluster of many processes${why}`, () => onServers(tests));
}
