import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startDiscord } from '../../sandbox/discord/discord.ts';
import { type GatewayOptions, startGateway } from '../../sandbox/gateway/gateway.ts';
import { registerCommands } from '../../scripts/deploy.ts';
import { ruleTargets } from '../../src/commands/index.ts';
import { readConfig } from '../../src/config.ts';
import { noLimits } from '../support/no-limits.ts';
import { inspectAftermath } from './afterwards.ts';
import { evidenceOf } from './evidence.ts';
import { assess, brokenOutcomes, brokenPromises } from './judgement.ts';
import { Keeper } from './keeper.ts';
import { killAndRestart } from './killing.ts';
import { Members } from './members.ts';
import { planOf, type Scale } from './plan.ts';
import { figures } from './report.ts';
import { EmbeddedServers } from './sides.ts';
import { waitUntil } from './waiting.ts';

export interface Report {
  /** One sentence for each broken promise. */
  readonly failures: readonly string[];
  readonly figures: readonly string[];
  /** The log of all processes of the bot. */
  readonly log: string;
}

export interface ChaosOptions extends Scale, Pick<GatewayOptions, 'studio'> {
  /** The URL of the store; without it, the store is a file. */
  storeUrl?: string | undefined;
  /** How fast the gateway works during the storm. */
  speed: number;
  /** How long everything may take to end once the storm is over. */
  settleTimeoutMs: number;
}

const KEY = 'sk-sandbox';
const SETTLING_SPEED = 200;
const LOG_READ_INTERVAL_MS = 20;
const CHECK_INTERVAL_MS = 100;

/** Both servers stay alive in this process; the shipped bot runs in another one that is killed repeatedly. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const startedAt = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'atelier-chaos-'));
  // There is no limit on identifies: the bot is killed more often than Discord lets an application identify.
  const discord = await startDiscord({ limits: { identifyWindowMs: 0 } });
  const gateway = await startGateway({
    speed: options.speed,
    seed: options.seed,
    ...(options.studio && { studio: options.studio }),
  });
  const settings = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: KEY,
    ...noLimits,
    STORE_URL: options.storeUrl ?? `sqlite://${join(folder, 'atelier.sqlite')}`,
    // A killed bot is restarted as soon as the store allows it.
    STORE_LEASE_SECONDS: '5',
    DISCORD_USER_INSTALL: 'on',
    OPERATOR_CHANNEL_ID: discord.world.channel('log').id,
    LOG_LEVEL: 'debug',
  };
  const servers = new EmbeddedServers(discord, gateway);
  const keeper = new Keeper(settings);
  const members = new Members(discord, options.seed);
  const logTimer = setInterval(() => servers.readLogs(), LOG_READ_INTERVAL_MS);
  try {
    await registerCommands(readConfig(settings, ruleTargets).discord);
    await keeper.start();
    const times = [Date.now()];
    await storm(options, servers, keeper, members);
    times.push(Date.now());
    await settle(options, servers, keeper, members);
    times.push(Date.now());
    const assessment = assess(evidenceOf(servers, members, keeper));
    const failures = brokenPromises(assessment, await inspectAftermath(servers, keeper, settings));
    return { failures, figures: figures(assessment, options, [startedAt, ...times, Date.now()]), log: keeper.output };
  } finally {
    clearInterval(logTimer);
    await keeper.close();
    await Promise.all([discord.close(), gateway.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function storm(scale: Scale, servers: EmbeddedServers, keeper: Keeper, members: Members): Promise<void> {
  const plan = planOf(scale);
  const runAt = async (ms: number, action: () => Promise<void> | void): Promise<void> => {
    await pause(ms);
    await action();
  };
  // Kills happen one after another, however long each waits for its step.
  let pendingKills = Promise.resolve();
  await Promise.all([
    ...plan.requests.map((request) => runAt(request.at, () => members.makeRequest(request))),
    ...plan.faults.map(({ at: ms, fault }) => runAt(ms, () => servers.inject(fault))),
    ...plan.kills.map((kill) =>
      runAt(kill.at, () => {
        pendingKills = pendingKills.then(() => killAndRestart(kill, servers, () => keeper));
        return pendingKills;
      }),
    ),
  ]);
}

/** Stops injecting faults, so that everything that is running can end. */
async function settle(
  { settleTimeoutMs }: ChaosOptions,
  servers: EmbeddedServers,
  keeper: Keeper,
  members: Members,
): Promise<void> {
  const { gateway } = servers;
  servers.clearFaults();
  if (!keeper.isAlive) await keeper.start();
  gateway.setSpeed(SETTLING_SPEED);
  const isOver = (): boolean => {
    for (const { id, orders, progress } of gateway.jobs.list())
      if (orders.sticks && progress > 0) gateway.jobs.finish(id);
    return brokenOutcomes(assess(evidenceOf(servers, members, keeper))).length === 0;
  };
  await waitUntil(settleTimeoutMs, isOver, CHECK_INTERVAL_MS);
}
