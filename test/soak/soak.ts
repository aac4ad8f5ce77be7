import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSides, UNLIMITED } from '../../bench/harness/sides.ts';
import { fastClock } from '../../bench/tasks/fast-clock.ts';
import { text } from '../../sandbox/discord/discord.ts';
import { registerCommands } from '../../scripts/deploy.ts';
import { ruleTargets } from '../../src/commands/index.ts';
import { readConfig } from '../../src/config.ts';
import { IDLE_TEXT } from '../chaos/afterwards.ts';
import { killAndRestart } from '../chaos/killing.ts';
import { type Plan, planOf } from '../chaos/plan.ts';
import { EmbeddedServers } from '../chaos/sides.ts';
import { singleSceneStudio } from '../support/studio.ts';
import { SoakBot } from './bot.ts';
import { type CalmPoint, readCalmPoint } from './calm-point.ts';
import { SoakMembers } from './members.ts';

interface SoakScale {
  seed: number;
  jobs: number;
  /** Hours of the bot's clock. */
  hours: number;
}

const HOUR_MS = 3_600_000;
/** One part in which everything grows to its size, and two that are compared. */
const MIN_PARTS = 3;
/** Each part ends with so much time without orders: interaction tokens and silent conversations expire within a quarter of an hour. */
const QUIET_MS = 16 * 60_000;
/** The clocks run so fast that a job is ordered every so many milliseconds. */
const MS_PER_JOB = 125;
/** Idle connections are closed by the machine's clock, for which the quiet time must last 80 seconds. */
const MAX_SPEED = 12;
const QUIET_GATEWAY_SPEED = 50;
const ACKNOWLEDGE_MS = 3_000;
/** Kills in the first part; there is one more in the middle. */
const FIRST_KILLS = 2;
/** One fault in thirty lets all tokens expire, so there are fewer than in a short run. */
const JOBS_PER_PLANNED_FAULT = 6;
/** By the machine's clock. */
const IDLE_WAIT_LIMIT_MS = 15 * 60_000;
const CHECK_INTERVAL_MS = 250;
/** By a fast clock, a day has thousands of threads, and a killed bot identifies sooner than Discord allows. */
const unlimited = { activeThreads: UNLIMITED, identifiesPerPeriod: UNLIMITED, identifyWindowMs: 0 };

/** Lets the bot work for hours by its clock, and yields what it holds at the end of each part, when nothing is left to do. */
export async function* soak({ seed, jobs, hours }: SoakScale): AsyncGenerator<CalmPoint> {
  const parts = Math.max(MIN_PARTS, hours);
  const orderingMs = (hours * HOUR_MS) / parts - QUIET_MS;
  const clockSpeed = Math.min(MAX_SPEED, Math.max(1, (orderingMs * parts) / (jobs * MS_PER_JOB)));
  const stormMs = orderingMs / clockSpeed;
  const stage = await openStage(seed, clockSpeed);
  try {
    await stage.bot.start();
    for (let part = 0; part < parts; part++) {
      const scale = { seed: seed + part, jobs: Math.round(jobs / parts), stormMs, includeLongFaults: true };
      const kills = part === 0 ? FIRST_KILLS : Number(part === Math.floor(parts / 2));
      const { faults } = planOf({ ...scale, jobs: scale.jobs / JOBS_PER_PLANNED_FAULT, kills: 0 });
      await becomeCalm(stage, await carryOut(stage, { ...planOf({ ...scale, kills }), faults }));
      await pause(QUIET_MS / clockSpeed);
      stage.gateway.setSpeed(1);
      yield await readCalmPoint(stage.bot, stage.members.acceptedCount, stage.folder);
    }
  } finally {
    await stage.close();
  }
}

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(seed: number, clockSpeed: number) {
  const clockOrigin = Date.now();
  const clock = fastClock(clockSpeed, clockOrigin);
  const studio = singleSceneStudio();
  const sides = await openSides({
    discord: { clock, limits: { ...unlimited, acknowledgeMs: ACKNOWLEDGE_MS * clockSpeed } },
    gateway: { clock, seed, studio },
  });
  const { discord, gateway } = sides;
  const folder = await mkdtemp(join(tmpdir(), 'atelier-soak-'));
  const temporaryFolder = join(folder, 'temporary');
  await mkdir(temporaryFolder);
  const settings = {
    ...sides.settings,
    DISCORD_USER_INSTALL: 'on',
    STORE_URL: `sqlite://${join(folder, 'atelier.sqlite')}`,
    TMPDIR: temporaryFolder,
    LOG_LEVEL: 'fatal',
  };
  await registerCommands(readConfig(settings, ruleTargets).discord);
  const bot = new SoakBot(settings, { clockSpeed, clockOrigin });
  const servers = new EmbeddedServers(discord, gateway);
  const members = new SoakMembers(discord, seed);
  const close = async (): Promise<void> => {
    await bot.close();
    await Promise.all([discord.close(), gateway.close(), studio.close()]);
    await rm(folder, { recursive: true, force: true });
  };
  return { discord, gateway, servers, members, bot, folder, close };
}

/** Returns the requests, of which some still wait for what the bot will not do. */
async function carryOut({ discord, gateway, servers, members, bot }: Stage, plan: Plan): Promise<Promise<unknown>[]> {
  const runAt = async (ms: number, action: () => unknown): Promise<void> => {
    await pause(ms);
    await action();
  };
  const requests: Promise<unknown>[] = [];
  // A kill takes as long as the next start.
  let pendingKills = Promise.resolve();
  await Promise.all([
    ...plan.requests.map((request) =>
      runAt(request.at, () => {
        // Most failures are injected, and what a request leaves behind is measured afterwards.
        requests.push(members.makeRequest(request).catch(() => undefined));
      }),
    ),
    ...plan.faults.map(({ at, fault }) => runAt(at, () => servers.inject(fault))),
    ...plan.kills.map((kill) =>
      runAt(kill.at, () => {
        // Each has logs of its own, because a log must be read often or not at all.
        const logs = new EmbeddedServers(discord, gateway);
        pendingKills = pendingKills.then(() => killAndRestart(kill, logs, () => bot));
        return pendingKills;
      }),
    ),
  ]);
  return requests;
}

/** Resolves once the bot has nothing left to do. */
async function becomeCalm({ discord, gateway, servers }: Stage, requests: readonly Promise<unknown>[]): Promise<void> {
  const limit = Date.now() + IDLE_WAIT_LIMIT_MS;
  servers.clearFaults();
  gateway.setSpeed(QUIET_GATEWAY_SPEED);
  await Promise.all(requests);
  for (let isIdle = false; !isIdle; await pause(CHECK_INTERVAL_MS)) {
    for (const { id, orders, progress } of gateway.jobs.list())
      if (orders.sticks && progress > 0) gateway.jobs.finish(id);
    const about = await discord.as('admin').slash('about');
    const shownText = await about.message().then(text, String);
    isIdle = shownText.includes(IDLE_TEXT);
    if (!isIdle && Date.now() > limit) throw new Error(`The bot did not become idle: ${shownText}`);
  }
}
