import { setTimeout as pause } from 'node:timers/promises';
import { type EmbeddedDiscord, startDiscord } from '../../../sandbox/discord/discord.ts';
import { startGateway } from '../../../sandbox/gateway/gateway.ts';
import { registerCommands } from '../../../scripts/deploy.ts';
import { ruleTargets } from '../../../src/commands/index.ts';
import { readConfig } from '../../../src/config.ts';
import { keysOf } from '../../../src/lib/entries.ts';
import { noLimits } from '../../support/no-limits.ts';
import type { StoreServer } from '../../support/store-servers.ts';
import type { ChaosOptions, Report } from '../chaos.ts';
import { evidenceOf } from '../evidence.ts';
import { type Assessment, brokenOutcomes } from '../judgement.ts';
import { orderKinds } from '../kinds.ts';
import { Members } from '../members.ts';
import { figures } from '../report.ts';
import { EmbeddedServers } from '../sides.ts';
import { waitUntil } from '../waiting.ts';
import { compareLedgers } from './books.ts';
import { Fleet } from './fleet.ts';
import { assessCluster, brokenClusterPromises, forgottenOrders, lostSessions, NOTIFY_LIMIT_MS } from './judgement.ts';
import { ClusterEvents } from './misfortunes.ts';
import { readPartitions } from './partitions.ts';
import { type ClusterPlan, type ClusterScale, clusterPlanOf, GUESTS, guildNames } from './plan.ts';

interface ClusterOptions
  extends Omit<ClusterScale, 'leaseMs'>,
    Pick<ChaosOptions, 'studio' | 'speed' | 'settleTimeoutMs'> {
  storeUrl: string;
  /** The longest that a member waits for a result, in order to press one of its buttons. */
  patienceMs?: number;
  /** Without it, the server of the store cannot be crashed. */
  server?: Pick<StoreServer, 'crash' | 'restart'>;
}

const KEY = 'sk-sandbox';
const PARTITIONS = 8;
const SIZES = { shard: 2, worker: 3 };
/** The default of STORE_LEASE_SECONDS. */
const LEASE_MS = 10_000;
const SETTLING_SPEED = 200;
const LOG_READ_INTERVAL_MS = 20;
const CHECK_INTERVAL_MS = 250;
const START_MS = 180_000;
/** A cluster that sends nothing for this long has nothing left to do. */
const QUIET_MS = 4_000;
const QUIET_LIMIT_MS = 120_000;
/** The limit of tasks for each member is the number of all jobs divided by this. */
const JOBS_PER_LIMIT = 20;

/** Both servers stay alive in this process; the shards and workers of the shipped bot run in others, which are killed, paused and replaced. */
export async function clusterChaos(options: ClusterOptions): Promise<Report> {
  const times = [Date.now()];
  const discord = await startDiscord({
    guilds: options.guilds,
    shards: SIZES.shard,
    // There is no limit on identifies: processes are killed more often than Discord lets an application identify.
    limits: { identifyWindowMs: 0 },
  });
  inviteGuests(discord, options.guilds);
  const gateway = await startGateway({
    speed: options.speed,
    seed: options.seed,
    ...(options.studio && { studio: options.studio }),
  });
  const tasksPerMember = Math.ceil(options.jobs / JOBS_PER_LIMIT);
  const settings = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: KEY,
    ...noLimits,
    DEFAULT_MEMBER_BUDGET: `${tasksPerMember} tasks a day`,
    STORE_URL: options.storeUrl,
    STORE_LEASE_SECONDS: String(LEASE_MS / 1_000),
    PARTITIONS: String(PARTITIONS),
    SHARD_COUNT: String(SIZES.shard),
    DISCORD_USER_INSTALL: 'on',
    // Both servers are on this machine, and the gateway fetches references from Discord.
    MEDIA_ALLOW_PRIVATE: 'on',
    OPERATOR_CHANNEL_ID: discord.world.channel('log').id,
    LOG_LEVEL: 'debug',
  };
  const servers = new EmbeddedServers(discord, gateway);
  const members = new Members(discord, options.seed, options.patienceMs);
  const fleet = new Fleet(settings, SIZES);
  const logTimer = setInterval(() => servers.readLogs(), LOG_READ_INTERVAL_MS);
  try {
    await registerCommands(readConfig(settings, ruleTargets).discord);
    if (!(await startAll(fleet))) throw new Error(`Not every partition has an owner:\n${fleet.output.slice(-20_000)}`);
    const { seed, server } = options;
    const events = new ClusterEvents({ fleet, servers, members, settings, seed, server, partitions: PARTITIONS });
    times.push(Date.now());
    await storm(clusterPlanOf({ ...options, leaseMs: LEASE_MS }), { servers, members, events });
    times.push(Date.now());
    const hasAllOwners = await settle(options, { servers, members, fleet });
    times.push(Date.now());
    const assessment = assessCluster(evidenceOf(servers, members, fleet));
    const ending = await restartWhenIdle(fleet, servers, settings.OPERATOR_CHANNEL_ID);
    const partitions = await readPartitions(options.storeUrl, PARTITIONS, LEASE_MS);
    const books = partitions.map((partition) => partition.books);
    const money = compareLedgers(books, gateway.jobs.list(), tasksPerMember);
    const failures = brokenClusterPromises(assessment, {
      ...ending,
      partitions,
      shards: SIZES.shard,
      eventProblems: [
        ...events.failures,
        ...(hasAllOwners ? [] : ['after the storm, not every partition had an owner']),
      ],
      money: money.failures,
    });
    times.push(Date.now());
    return {
      failures,
      figures: [
        ...figures(assessment, options, times),
        `sessions lost   ${lostSessions(assessment, SIZES.shard)}`,
        `endless spinners ${forgottenOrders(assessment).length}`,
        `by kind         ${keysOf(orderKinds)
          .map(
            (kind) =>
              `${kind}: ${assessment.cases.filter(({ order }) => order.kind === kind && order.acknowledgedAt !== undefined).length}`,
          )
          .join(', ')}`,
        `money           ${money.figure}`,
        `presses skipped ${members.skippedPresses}`,
        `by partition    ${partitions.map(({ partition, tasks }) => `${partition}: ${tasks}`).join(', ')}`,
        ...[...events.eventCounts].sort().map(([name, count]) => `  ${String(count).padStart(4)} × ${name}`),
      ],
      log: fleet.output,
    };
  } finally {
    clearInterval(logTimer);
    await fleet.close();
    await Promise.all([discord.close(), gateway.close()]);
  }
}

/** Adds the guests to the plain servers, which otherwise have only their owner as a member. */
function inviteGuests({ world }: EmbeddedDiscord, guilds: number): void {
  for (const name of guildNames(guilds))
    for (const guest of GUESTS) {
      const { id } = world.user(guest);
      world.guild(name).members.set(id, { userId: id, roles: [], joinedAt: 0 });
    }
}

/** Starts all processes that are not running. Returns whether every partition got an owner. */
async function startAll(fleet: Fleet): Promise<boolean> {
  const stoppedNodes = fleet.nodes.filter(({ keeper, name }) => !keeper.isAlive && !name.startsWith('guest'));
  await Promise.all(stoppedNodes.map(({ keeper }) => keeper.start()));
  return waitUntil(START_MS, () => fleet.hasAllOwners(PARTITIONS), CHECK_INTERVAL_MS);
}

/** Waits until the cluster has stopped sending requests. */
async function waitUntilQuiet(servers: EmbeddedServers): Promise<void> {
  let [lastCount, quietSince] = [-1, Date.now()];
  const isQuiet = (): boolean => {
    servers.readLogs();
    const count = servers.discordLog.entries.length + servers.gatewayLog.entries.length;
    if (count !== lastCount) [lastCount, quietSince] = [count, Date.now()];
    return Date.now() - quietSince >= QUIET_MS;
  };
  await waitUntil(QUIET_LIMIT_MS, isQuiet, CHECK_INTERVAL_MS);
}

interface Scene {
  servers: EmbeddedServers;
  members: Members;
}

async function storm(
  { requests, faults, events: plannedEvents }: ClusterPlan,
  { servers, members, events }: Scene & { events: ClusterEvents },
): Promise<void> {
  const runAt = async (ms: number, action: () => Promise<void> | void): Promise<void> => {
    await pause(ms);
    await action();
  };
  await Promise.all([
    ...requests.map((request) => runAt(request.at, () => members.makeRequest(request))),
    ...faults.map(({ at: ms, fault }) => runAt(ms, () => servers.inject(fault))),
    ...plannedEvents.map((event) => runAt(event.at, () => events.carryOut(event))),
  ]);
}

/** Stops injecting faults, and waits until everything that is running has ended. */
async function settle(
  { settleTimeoutMs }: Pick<ClusterOptions, 'settleTimeoutMs'>,
  { servers, members, fleet }: Scene & { fleet: Fleet },
): Promise<boolean> {
  const { gateway } = servers;
  servers.clearFaults();
  gateway.setSpeed(SETTLING_SPEED);
  const hasAllOwners = await startAll(fleet);
  const assess = (): Assessment => assessCluster(evidenceOf(servers, members, fleet));
  const isOver = (): boolean => {
    for (const { id, orders, progress } of gateway.jobs.list())
      if (orders.sticks && progress > 0) gateway.jobs.finish(id);
    return brokenOutcomes(assess()).length === 0;
  };
  await waitUntil(settleTimeoutMs, isOver, CHECK_INTERVAL_MS);
  await waitUntil(NOTIFY_LIMIT_MS, () => forgottenOrders(assess()).length === 0, CHECK_INTERVAL_MS);
  return hasAllOwners;
}

/** Stops the idle cluster, starts it again and stops it again. Returns its writes to Discord and its exit codes. */
async function restartWhenIdle(
  fleet: Fleet,
  servers: EmbeddedServers,
  operatorChannel: string,
): Promise<{ writes: number; codes: (number | null)[] }> {
  const stop = (): Promise<(number | null)[]> =>
    Promise.all(fleet.nodes.filter(({ keeper }) => keeper.isAlive).map(({ keeper }) => keeper.stop()));
  // The end of a task may already be shown in Discord before it is stored.
  await waitUntilQuiet(servers);
  const requestCount = servers.discordLog.entries.length;
  const codes = await stop();
  if (!(await startAll(fleet))) codes.push(null);
  await waitUntilQuiet(servers);
  codes.push(...(await stop()));
  servers.readLogs();
  const writes = servers.discordLog.entries.slice(requestCount).filter(({ method, path }) => {
    return method !== 'GET' && !path.includes(operatorChannel);
  });
  return { writes: writes.length, codes };
}
