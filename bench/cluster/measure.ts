import { parseArgs } from 'node:util';
import { measureAcknowledgement } from './acknowledgement.ts';
import { measureFailover } from './failover.ts';
import { measureFairness } from './fairness.ts';
import { machineLoad } from './machine-load.ts';
import { measureMemory } from './memory.ts';
import { ClusterHarness } from './stage.ts';
import { BenchServer, isServerKind } from './store.ts';
import { measureThroughput } from './throughput.ts';

const measurements: Readonly<Record<string, (harness: ClusterHarness, rounds: number) => Promise<void>>> = {
  acknowledgement: measureAcknowledgement,
  throughput: measureThroughput,
  fairness: measureFairness,
  memory: measureMemory,
  failover: measureFailover,
};
const ROUNDS = 3;

/** npm run bench cluster [-- --store redis|postgres] [--part NAME] [--rounds N] */
export async function measureCluster(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { store: { type: 'string' }, part: { type: 'string', multiple: true }, rounds: { type: 'string' } },
  });
  const { store = 'redis', part: partNames = Object.keys(measurements), rounds = String(ROUNDS) } = values;
  if (!isServerKind(store)) throw new Error(`--store must be redis or postgres, not ${store}.`);
  const server = await BenchServer.create(store);
  try {
    for (const name of partNames) {
      const measure = measurements[name];
      if (!measure)
        throw new Error(`There is no part ${name}. Choose one of: ${Object.keys(measurements).join(', ')}.`);
      const harness = await ClusterHarness.create(server);
      try {
        await measure(harness, Number(rounds));
      } finally {
        await harness.close();
      }
      console.log(`\n${store}. ${machineLoad()}`);
    }
  } finally {
    await server.close();
  }
}
