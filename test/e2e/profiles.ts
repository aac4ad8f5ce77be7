import { describe } from 'vitest';
import type { Profile } from '../../sandbox/gateway/gateway.ts';

/**
 * Describes promises that hold with both profiles of the gateway. `npm test` proves them with the specification's: the two differ on the wire, which the
 * contract tests compare.
 */
export function describeProfiles(name: string, define: (profile: Profile) => void): void {
  describe(`${name} (spec gateway profile)`, () => define('spec'));
  describe(`${name} (stock gateway profile)`, { tags: ['breadth'] }, () => define('stock'));
}
