import type { AppContext } from '../../lib/app-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { RecentValues } from '../../lib/recent-map.ts';
import type { SharedNotes } from '../money/whole-bot.ts';
import { publicName, type StoreAddress } from '../store/backend.ts';
import { nameHolder } from '../store/holder.ts';
import { requestLimitMs } from '../store/lease.ts';
import type { StoreUseListener } from '../store/namespaces.ts';
import { openPartitions, openSharedFacts, type Partitions } from '../store/partitions.ts';
import type { SharedFacts } from '../store/shared-facts.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import type { ClusterContext } from './claim.ts';
import type { Inbox } from './inbox.ts';
import { openInbox } from './open-inbox.ts';

/** The packets of a killed worker wait this long for the next one. A shorter lock could expire while a busy worker still handles a packet. */
const MAX_LOCK_MS = 4_000;

interface ClusterSettings {
  store: StoreAddress;
  storeLeaseMs: number;
  cluster: { queue: StoreAddress; partitions: number };
}

/** The resources that the processes of a cluster share: the partitions of the store, small facts about each other, and the inbox. */
export interface Cluster extends ClusterContext {
  partitions: Partitions;
  inbox: Inbox;
  close(): Promise<void>;
}

export async function openCluster(
  context: AppContext,
  { store, storeLeaseMs: leaseMs, cluster }: ClusterSettings,
  { version, specs, onUse }: { version: string; specs: KindSpecs; onUse: StoreUseListener | undefined },
): Promise<Cluster> {
  const holder = nameHolder();
  await using resources = new AsyncDisposableStack();
  const partitions = await openPartitions(store, {
    ...context,
    specs,
    leaseMs,
    holder,
    onUse,
    botVersion: version,
    partitions: cluster.partitions,
  });
  resources.defer(() => partitions.close());
  if (partitions.count === 1)
    context.log.warn(
      { store: publicName(store) },
      'This store has one partition, so one worker does all the work. A new store gets more partitions.',
    );
  const facts = await openSharedFacts(store, { ...context, limitMs: requestLimitMs(leaseMs) });
  resources.defer(() => facts.close());
  const inbox = await openInbox(cluster.queue, { lockMs: Math.min(leaseMs, MAX_LOCK_MS), log: context.log });
  resources.defer(() => inbox.close());
  const opened = resources.move();
  return { ...context, holder, leaseMs, facts, partitions, inbox, close: () => opened.disposeAsync() };
}

const CACHE = { forMs: 1_000, max: 100 };

/** The shared notes, for all partitions of a process: one read serves those that want a note at about the same time. */
export function recentNotes(facts: SharedFacts, clock: Clock): SharedNotes {
  const recentTexts = new RecentValues((name) => facts.read(name), CACHE, clock);
  const lock = new KeyedLock();
  return {
    read: (name) => facts.read(name),
    async replace(name, expected, newText) {
      const isReplaced = await facts.replace(name, expected, newText);
      if (isReplaced) recentTexts.put(name, Promise.resolve(newText));
      return isReplaced;
    },
    inTurn: (name, change) => lock.run(name, change),
    readRecent: (name) => recentTexts.get(name),
  };
}
