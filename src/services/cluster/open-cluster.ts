import type { AppContext } from '../../lib/app-context.ts';
import {
  nameHolder,
  openPartitions,
  openSharedFacts,
  type Partitions,
  publicName,
  type SharedFacts,
  type StoreAddress,
} from '../store/index.ts';
import { Lease, type LeaseClock, leaseClock, requestLimitMs } from '../store/lease.ts';
import type { StoreUseListener } from '../store/namespaces.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import { openInbox } from './inbox/open-inbox.ts';
import type { Inbox } from './inbox.ts';

/** The packets of a killed worker wait this long for the next one. A shorter lock could expire while a busy worker still handles a packet. */
const MAX_LOCK_MS = 4_000;

interface ClusterSettings {
  store: StoreAddress;
  storeLeaseMs: number;
  cluster: { queue: StoreAddress; partitions: number };
}

interface ClusterParts extends AppContext {
  version: string;
  specs: KindSpecs;
  /** Called after each use of a partition's rows. */
  onUse?: StoreUseListener | undefined;
}

/** What a process of a cluster knows about itself and the others. */
export interface ClusterContext extends AppContext {
  /** The name of this process in the cluster. */
  holder: string;
  /** How long a lease or a claim lasts that is not renewed. */
  leaseMs: number;
  facts: SharedFacts;
  leaseClock?: LeaseClock;
}

/** The resources that the processes of a cluster share: the partitions of the store, small facts about each other, and the inbox. */
export interface Cluster extends ClusterContext {
  partitions: Partitions;
  inbox: Inbox;
  close(): Promise<void>;
}

export async function openCluster(
  { store, storeLeaseMs: leaseMs, cluster }: ClusterSettings,
  { log, clock, version, specs, onUse }: ClusterParts,
): Promise<Cluster> {
  const holder = nameHolder();
  const resources: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const part of resources.reverse()) await part.close();
  };
  try {
    const partitions = await openPartitions(store, {
      log,
      clock,
      specs,
      leaseMs,
      holder,
      onUse,
      botVersion: version,
      partitions: cluster.partitions,
    });
    resources.push(partitions);
    if (partitions.count === 1)
      log.warn(
        { store: publicName(store) },
        'This store has one partition, so one worker does all the work. A new store gets more partitions.',
      );
    const facts = await openSharedFacts(store, { log, clock, limitMs: requestLimitMs(leaseMs) });
    resources.push(facts);
    const inbox = await openInbox(cluster.queue, { lockMs: Math.min(leaseMs, MAX_LOCK_MS), log });
    resources.push(inbox);
    return { holder, leaseMs, facts, clock, log, partitions, inbox, close };
  } catch (error) {
    await close();
    throw error;
  }
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
