import type { AppContext } from '../../lib/app-context.ts';
import { Lease, type LeaseClock, leaseClock } from '../store/lease.ts';
import type { SharedFacts } from '../store/shared-facts.ts';

/** What a process of a cluster knows about itself and the others. */
export interface ClusterContext extends AppContext {
  /** The name of this process in the cluster. */
  holder: string;
  /** How long a lease or a claim lasts that is not renewed. */
  leaseMs: number;
  facts: SharedFacts;
  leaseClock?: LeaseClock;
}

/**
 * Takes a claim of the cluster as a lease, which renews it until it is released or lost. Returns undefined if another process has the claim. `deadOwner` is a
 * holder whose process has certainly ended.
 */
export function acquireClaim(
  name: string,
  { facts, holder, leaseMs: ms, leaseClock: clock = leaseClock }: ClusterContext,
  deadOwner?: string,
): Promise<Lease | undefined> {
  const leaseServer = {
    acquire: async () => ((await facts.claim(name, holder, ms, deadOwner)) ? 0 : OTHER_HOLDER),
    renew: () => facts.claim(name, holder, ms),
    release: () => facts.release(name, holder),
  };
  return Lease.tryAcquire({ leaseServer, name, ms, clock, holder });
}

/** The facts do not say who has a claim. */
const OTHER_HOLDER = { holder: '', renewals: '', endsInMs: 0 };
