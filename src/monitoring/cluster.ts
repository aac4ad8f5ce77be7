import type { CallbackOutcome } from '../services/orders/callbacks.ts';
import type { Metrics } from './metrics.ts';

interface MeasuredShards {
  readonly count: number;
  readonly ids: readonly number[];
  readonly connectedCount: number;
}

export const measureCluster = (metrics: Metrics) => ({
  watchPartitions(count: number, owners: () => Promise<ReadonlyMap<number, string>>): void {
    metrics.registerGauge('partitions', () => [{ labels: {}, value: count }]);
    metrics.registerGauge('partitionsUnowned', async () => [{ labels: {}, value: count - (await owners()).size }]);
  },

  /** `queueLength`: how many packets are waiting for a partition. */
  watchWorker(ownedPartitions: () => readonly number[], queueLength: (partition: number) => Promise<number>): void {
    metrics.registerGauge('partitionsOwned', () => [{ labels: {}, value: ownedPartitions().length }]);
    metrics.registerGauge('inboxWaiting', () =>
      Promise.all(ownedPartitions().map(async (one) => ({ labels: {}, value: await queueLength(one) }))),
    );
  },

  watchShards(shards: MeasuredShards, threadCount: () => number): void {
    metrics.registerGauge('shards', () => [{ labels: {}, value: shards.count }]);
    metrics.registerGauge('shardsHeld', () => [{ labels: {}, value: shards.ids.length }]);
    metrics.registerGauge('shardsConnected', () => [{ labels: {}, value: shards.connectedCount }]);
    metrics.registerGauge('threads', () => [{ labels: {}, value: threadCount() }]);
  },

  onOwnerChange: (change: 'taken' | 'given-back'): void => metrics.count('ownerChanges', { change }),
  onHandOver: (event: 'interaction' | 'message', outcome: 'passed' | 'failed'): void =>
    metrics.count('handOvers', { event, outcome }),
  onUntaken: (outcome: 'waiting' | 'refused'): void => metrics.count('untaken', { outcome }),
  onCallback: (outcome: CallbackOutcome): void => metrics.count('callbacks', { outcome }),
});
