import { Lease, type LeaseClock } from '../store/lease.ts';
import type { SharedFacts } from '../store/remote/shared-facts.ts';

export interface ClaimContext {
  facts: SharedFacts;
  /** The name of this process. */
  holder: string;
  /** How long a claim lasts without being renewed. */
  ms: number;
  clock: LeaseClock;
}

/**
 * Takes a claim of the cluster as a lease, which renews it until it is released or lost. Returns undefined if another process has the claim. `deadOwner` is a
 * holder whose process has certainly ended.
 */
export const acquireClaim = (
  name: string,
  { facts, holder, ms, clock }: ClaimContext,
  deadOwner?: string,
): Promise<Lease | undefined> => {
  const leaseServer = {
    acquire: async () => ((await facts.claim(name, holder, ms, deadOwner)) ? 0 : OTHER_HOLDER),
    renew: () => facts.claim(name, holder, ms),
    release: () => facts.release(name, holder),
  };
  return Lease.tryAcquire({ leaseServer, name, ms, clock, holder });
};

/** The facts do not say who has a claim. */
const OTHER_HOLDER = { holder: '', renewals: '', endsInMs: 0 };
