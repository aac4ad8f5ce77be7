import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { modelKindsFile, modelNamed } from '../../../sandbox/gateway/catalogue.ts';
import { type GatewayOptions, startGateway } from '../../../sandbox/gateway/gateway.ts';
import { randomOf } from '../../../sandbox/gateway/random.ts';
import { product } from '../../../src/lib/decimals.ts';
import { anyOf } from '../troubles.ts';
import { checkBooks, dollars, readBooks, type Verdict } from './books.ts';
import { MoneyBot } from './bot.ts';
import { type Requester, STORE_UNREACHABLE } from './order.ts';

export interface MoneyScale extends Pick<GatewayOptions, 'studio'> {
  seed: number;
  members: number;
  orders: number;
  kills: number;
  /** The URL of the store; without it, the store is a file. */
  storeUrl?: string | undefined;
  /** Closes the bot's connections to the store's server. It is called between the kills. */
  cutConnections?: () => Promise<void>;
}

const IMAGE_MODELS = ['lumen-image-1', 'lumen-image-1-2K', 'lumen-image-1-4K', 'Harbour/Canvas-XL:2026-03-01'];
/** A grid costs four times the listed price, which is for one image. */
const GRID_PRICE = dollars(modelNamed('imgx-7')?.price ?? '0', 4);
/** Estimates are upper bounds: the gateway charges less. */
const ESTIMATE_FACTOR = '1.1';
/** About two thirds of the requests fit into this limit. */
const LIMIT_PER_ORDER = '0.04';
const SERVERS = 5;
const CONCURRENCY = 24;
const SPEED = 300;
const RECONNECT_MS = 500;
const SETTLE_TIMEOUT_MS = 180_000;

const SUBMIT_FAULTS = [
  ...(['server-error', 'bad-gateway', 'empty', 'half', 'cut', 'reset', 'accepted-then-500'] as const),
  ...(['accepted-then-reset', 'saturated', 'rate-limited', 'error-in-200'] as const),
];
const FAULT_SHARE = 0.06;
const FAILED_SHARE = 0.05;
const REPEAT_SHARE = 0.03;

/** Members make requests with tight limits while the bot is killed and the gateway fails; then the books are compared. */
export async function runMoneyChaos(scale: MoneyScale): Promise<Verdict> {
  const { seed, members, orders, kills, storeUrl, cutConnections, studio } = scale;
  const random = randomOf(seed);
  const startedAt = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'atelier-money-'));
  const gateway = await startGateway({ speed: SPEED, seed, profile: 'stock', ...(studio && { studio }) });
  const pricesFile = join(folder, 'prices.json');
  const modelPrices = IMAGE_MODELS.map(
    (id) => [`image:${id}`, product(modelNamed(id)?.price ?? '0', ESTIMATE_FACTOR)] as const,
  );
  await writeFile(
    pricesFile,
    JSON.stringify({ imagine: product(GRID_PRICE, ESTIMATE_FACTOR), ...Object.fromEntries(modelPrices) }),
  );
  const limits = {
    total: product(LIMIT_PER_ORDER, String(orders)),
    server: product(LIMIT_PER_ORDER, String(Math.ceil(orders / SERVERS))),
    member: product(LIMIT_PER_ORDER, String(Math.ceil((orders / members) * 1.5))),
  };
  const settings: Record<string, string> = {
    DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAw.aaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: 'sk-sandbox',
    MODEL_KINDS: modelKindsFile,
    PRICES: pricesFile,
    TOTAL_BUDGET: `$${limits.total} a day`,
    DEFAULT_SERVER_BUDGET: `$${limits.server} a day`,
    DEFAULT_MEMBER_BUDGET: `$${limits.member} a day`,
    GATEWAY_POLLS_PER_SECOND: '500',
    STORE_URL: storeUrl ?? `sqlite://${join(folder, 'atelier.sqlite')}`,
    STORE_LEASE_SECONDS: '5',
    LOG_LEVEL: 'warn',
  };
  const bot = new MoneyBot(settings);
  const outcomes = new Map<string, number>();
  const countOutcome = (name: string): void => void outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  const failures: string[] = [];
  const randomRequester = (): Requester => {
    const member = random.integer(members);
    return {
      memberId: `${100_000_000_000_000_000n + BigInt(member)}`,
      guildId: `${200_000_000_000_000_000n + BigInt(member % SERVERS)}`,
    };
  };
  try {
    await bot.start();
    let orderCount = 0;
    let killCount = 0;
    let pendingRestart: Promise<void> | undefined;
    const ordersPerKill = Math.ceil(orders / kills);
    const killIndexes = Array.from({ length: kills }, (_, index) =>
      Math.floor(((index + 0.5 + random.next() * 0.4) * orders) / kills),
    );
    const restart = async (): Promise<void> => {
      await pause(random.integer(40));
      await bot.kill();
      await bot.start();
      pendingRestart = undefined;
    };
    const work = async (): Promise<void> => {
      while (orderCount < orders) {
        await pendingRestart;
        const index = orderCount++;
        if (index >= (killIndexes[killCount] ?? Number.POSITIVE_INFINITY)) {
          killCount += 1;
          pendingRestart = restart();
        }
        if (index % ordersPerKill === 0) await cutConnections?.();
        if (random.next() < FAULT_SHARE)
          gateway.faults.add({ on: { path: /submit|jobs$/ }, do: anyOf(SUBMIT_FAULTS, random) });
        if (random.next() < FAILED_SHARE) gateway.faults.add({ do: 'fail' });
        const model = random.next() < 0.5 ? anyOf(IMAGE_MODELS, random) : undefined;
        const requester = randomRequester();
        const result = await bot.send({ do: 'order', prompt: `order ${index}`, model, ...requester });
        countOutcome(result ? (result.refused ?? result.state ?? 'broken') : 'killed');
        // Without a pause, most orders would be made before the bot has connected again.
        if (result?.refused === STORE_UNREACHABLE) await pause(RECONNECT_MS);
        if (result?.broken) failures.push(`an order failed: ${result.broken}`);
        if (random.next() < REPEAT_SHARE || result?.state === 'unconfirmed')
          await bot.send({ do: 'try again', ...requester });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    await pendingRestart;
    const stormMs = Date.now() - startedAt;
    gateway.faults.clear();
    // The next start cleans up whatever a kill has left behind.
    await bot.kill();
    await bot.start();
    const deadline = Date.now() + SETTLE_TIMEOUT_MS;
    let openCount: number | undefined;
    do {
      await pause(500);
      openCount = (await bot.send({ do: 'count' }))?.open;
    } while (openCount !== 0 && Date.now() < deadline);
    if (openCount !== 0) failures.push(`${openCount} tasks have not finished`);
    await bot.kill('SIGTERM');
    const verdict = checkBooks(await readBooks(settings), gateway, limits);
    const counts = [...outcomes].sort().map(([name, count]) => `${name} ${count}`);
    return {
      failures: [...failures, ...verdict.failures],
      figures: [
        `${orders} orders by ${members} members, ${killCount} kills, seed ${seed}, ${Math.round(stormMs / 1000)} s of ${Math.round((Date.now() - startedAt) / 1000)} s`,
        `outcomes: ${counts.join(', ')}`,
        ...verdict.figures,
      ],
    };
  } finally {
    await bot.kill();
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  }
}
