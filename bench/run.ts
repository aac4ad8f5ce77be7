import { cpus } from 'node:os';
import { EX_USAGE } from '../scripts/usage.ts';
import { measureCallbacks } from './callbacks.ts';
import { measureCluster } from './cluster/measure.ts';
import { measureDiscord } from './discord/measure.ts';
import { measureGateway } from './gateway.ts';
import { measureLoad } from './load.ts';
import { measureMedia } from './media/measure.ts';
import { measureMentions } from './mentions/measure.ts';
import { measureMonitoring } from './monitoring.ts';
import { measureOrders } from './orders/measure.ts';
import { measurePath } from './path/measure.ts';
import { measurePolling } from './polling/measure.ts';
import { measureReaders } from './readers/measure.ts';
import { measureRush } from './rush/measure.ts';
import { measureSettings } from './settings.ts';
import { measureShards } from './shards/measure.ts';
import { measureStore } from './store/measure.ts';
import { measureTalk } from './talk/measure.ts';
import { measureTasks } from './tasks/measure.ts';
import { measureText } from './text.ts';

const benchmarks: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  callbacks: measureCallbacks,
  cluster: measureCluster,
  discord: measureDiscord,
  gateway: measureGateway,
  load: measureLoad,
  media: measureMedia,
  mentions: measureMentions,
  monitoring: measureMonitoring,
  orders: measureOrders,
  path: measurePath,
  polling: measurePolling,
  readers: measureReaders,
  rush: measureRush,
  settings: measureSettings,
  shards: measureShards,
  store: measureStore,
  talk: measureTalk,
  tasks: measureTasks,
  text: measureText,
};

const usage = `Usage: npm run bench ${Object.keys(benchmarks).join(' | ')}`;

const [name = '', ...args] = process.argv.slice(2);
const benchmark = benchmarks[name];
// Only a benchmark that declares a parameter takes options.
if (benchmark?.length === 0 && args.length > 0) {
  console.error(`${name} takes no options: ${args.join(' ')}`);
  process.exitCode = EX_USAGE;
} else if (benchmark) {
  console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
  await benchmark(args);
} else if (name === '--help') {
  console.log(`Measures one part of the bot and prints a table. docs/benchmarks.md explains each.\n\n${usage}`);
} else {
  console.error(usage);
  process.exitCode = EX_USAGE;
}
