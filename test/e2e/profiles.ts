import { describe } from 'vitest';
import type { Profile } from '../../sandbox/gateway/gateway.ts';
import type { Dialect } from '../../sandbox/gateway/realtime/dialect.ts';

/**
 * Describes promises about what is submitted and read, with both profiles of the gateway. What the bot does with tasks that it has read does not depend
 * on the profile, and is proved with the specification's. `npm test` uses only that one: the contract tests compare the two on the wire.
 */
export function describeProfiles(name: string, define: (profile: Profile) => void): void {
  describe(`${name} (spec gateway profile)`, () => define('spec'));
  describe(`${name} (stock gateway profile)`, { tags: ['breadth'] }, () => define('stock'));
}

/** Describes promises about live sessions in both dialects, as above. */
export function describeDialects(name: string, define: (dialect: Dialect) => void): void {
  describe(`${name} in the dialect ga`, () => define('ga'));
  describe(`${name} in the dialect beta`, { tags: ['breadth'] }, () => define('beta'));
}
