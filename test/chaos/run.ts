import { randomInt } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EX_USAGE, reportWrongArguments } from '../../scripts/usage.ts';
import { type Report, runChaos } from './chaos.ts';
import { type ClusterStore, clusterStores, runCluster } from './cluster/run.ts';
import { runMoneyChaos } from './money/money.ts';

const USAGE = [
  'npm run chaos [-- --seed N --jobs N --kills N --store URL]',
  'npm run chaos -- --money [--seed N --orders N --members N --kills N --store URL]',
  'npm run chaos -- --cluster [--store redis|postgres] [--seed N --jobs N --kills N --pauses N --server-kills N]',
].join('\n     ');

const HELP = `Runs the bot while it is killed and the gateway fails, then checks that no task was lost or charged twice.

Usage: ${USAGE}

  --money    submits tasks against tight limits, then compares the ledger with the gateway's bill
  --cluster  runs shards and workers while their store's server crashes too; needs Redis or Postgres
  --seed     repeats an earlier run
  --help     shows this help`;

const MS_PER_JOB = 500;
const MS_PER_KILL = 10_000;
/** At this speed an image takes about ten seconds. */
const SPEED = 4;
const SETTLE_TIMEOUT_MS = 4 * 60_000;

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      jobs: { type: 'string' },
      kills: { type: 'string' },
      money: { type: 'boolean' },
      cluster: { type: 'boolean' },
      pauses: { type: 'string' },
      'server-kills': { type: 'string' },
      orders: { type: 'string' },
      members: { type: 'string' },
      store: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const seed = Number(values.seed ?? randomInt(1_000_000));
  if (values.money) return runMoney(seed, values);
  if (values.cluster) return runClusterChaos(seed, values);
  const jobs = Number(values.jobs ?? 200);
  const kills = Number(values.kills ?? 10);
  if (![seed, jobs, kills].every((value) => Number.isInteger(value) && value >= 0)) return printUsage();
  print(`To repeat this run: npm run chaos -- --seed ${seed} --jobs ${jobs} --kills ${kills}`);
  const stormMs = Math.max(jobs * MS_PER_JOB, kills * MS_PER_KILL);
  return printReport(
    await runChaos({
      seed,
      jobs,
      kills,
      stormMs,
      includeLongFaults: true,
      speed: SPEED,
      settleTimeoutMs: SETTLE_TIMEOUT_MS,
      storeUrl: values.store,
    }),
  );
}

function printReport({ failures, figures, log }: Report): number {
  print(...figures);
  if (failures.length === 0) return 0;
  const logFile = join(mkdtempSync(join(tmpdir(), 'atelier-chaos-')), 'bot.log');
  writeFileSync(logFile, log);
  print('', 'Broken promises:', ...failures.map((promise) => `  ${promise}`), `The bot’s log: ${logFile}`);
  return 1;
}

async function runClusterChaos(
  seed: number,
  values: Partial<Record<'jobs' | 'kills' | 'pauses' | 'server-kills' | 'store', string>>,
): Promise<number> {
  const { store = 'redis' } = values;
  const jobs = Number(values.jobs ?? 500);
  const kills = Number(values.kills ?? 20);
  const pauses = Number(values.pauses ?? 5);
  const serverKills = Number(values['server-kills'] ?? 3);
  const numbers = [seed, jobs, kills, pauses, serverKills];
  if (!isClusterStore(store) || !numbers.every((value) => Number.isInteger(value) && value >= 0)) return printUsage();
  print(
    `To repeat this run: npm run chaos -- --cluster --store ${store} --seed ${seed} --jobs ${jobs} --kills ${kills} --pauses ${pauses} --server-kills ${serverKills}`,
  );
  const report = await runCluster({ seed, jobs, kills, pauses, serverKills, store });
  return report ? printReport(report) : 1;
}

const isClusterStore = (name: string): name is ClusterStore => Object.hasOwn(clusterStores, name);

async function runMoney(seed: number, values: Partial<Record<'orders' | 'members' | 'kills' | 'store', string>>) {
  const orders = Number(values.orders ?? 5_000);
  const members = Number(values.members ?? 500);
  const kills = Number(values.kills ?? 10);
  if (![seed, orders, members, kills].every((value) => Number.isInteger(value) && value >= 0)) return printUsage();
  const { failures, figures } = await runMoneyChaos({ seed, orders, members, kills, storeUrl: values.store });
  print(...figures);
  if (failures.length > 0) print('', 'Broken promises:', ...failures.slice(0, 50).map((promise) => `  ${promise}`));
  return failures.length === 0 ? 0 : 1;
}

function printUsage(): number {
  process.stderr.write(`Usage: ${USAGE}\n`);
  return EX_USAGE;
}

process.exitCode = await run().catch((error: unknown) => reportWrongArguments(error, USAGE));
