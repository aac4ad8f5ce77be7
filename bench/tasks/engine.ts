import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { kindSpecs, kindsOf } from '../../src/commands/index.ts';
import { createLogger } from '../../src/lib/log.ts';
import { createGateway } from '../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import { Slots } from '../../src/services/orders/submission/slots.ts';
import { Tasks } from '../../src/services/orders/tasks.ts';
import { openStore } from '../../src/services/store/open-store.ts';
import { ordersSources } from '../../test/services/orders/sources.ts';
import { percentile } from '../table.ts';
import { type CpuUse, measureCpuUse } from './counted.ts';
import { fastClock } from './fast-clock.ts';
import { WatchedScheduler } from './watched.ts';

/** The whole engine without Discord, in its own process: store, book, tracker, scheduler and the gateway's client. */

export interface EngineInput {
  file: string;
  gatewayUrl: string;
  pollsInBatches: boolean;
  connections: number;
  perSecond: number;
  inFlight: number;
  clockSpeed: number;
  /** Whether to record how late each poll is, which adds a small overhead. */
  isTimed: boolean;
  warmUpMs: number;
  countedMs: number;
}

export interface EngineFigures extends CpuUse {
  polls: number;
  requests: number;
  /** How late the polls were, if that is recorded. */
  p50LatenessMs: number;
  p95LatenessMs: number;
}

const WAIT_LIMIT_MS = 300_000;

const [input] = (await once(process, 'message')) as [EngineInput];
const clock = fastClock(input.clockSpeed);
const log = createLogger({ level: 'warn', secrets: [], isPretty: false, write: (line) => process.stderr.write(line) });
const store = await openStore({ url: `sqlite://${input.file}`, scheme: 'sqlite' }, { specs: kindSpecs, log, clock });
const { gatewayUrl: baseUrl, connections, perSecond, inFlight, pollsInBatches, isTimed } = input;
const gateway = createGateway({ ...defaultSettings, baseUrl, apiKey: 'sk-sandbox', connections }, { log, clock });
const withoutJitter = (): number => 0.5;
const random = isTimed ? withoutJitter : Math.random;
const watchedScheduler = new WatchedScheduler(isTimed, clock, random, log, { perSecond, inFlight });
const context = { clock, log };
const sources = ordersSources(context, store, {
  kinds: kindsOf(gateway, { imgxLists: pollsInBatches, imagineReferences: 'address', videosBody: 'json' }),
  limits: { scheduler: watchedScheduler, slots: new Slots(), live: {} },
});
const maxWaitMs = { image: WAIT_LIMIT_MS, video: WAIT_LIMIT_MS, music: WAIT_LIMIT_MS, text: WAIT_LIMIT_MS };
const tasks = new Tasks(context, { ...sources, settings: { ...sources.settings, maxWaitMs } });
let changes = 0;
tasks.book.onChange(() => {
  changes += 1;
});

await tasks.open();
await tasks.start();
await sleep(input.warmUpMs);
watchedScheduler.reset();
const cost = await measureCpuUse(input.countedMs);
const { polls, requests, lateness, trouble } = watchedScheduler;
if (trouble) throw new Error(`A poll failed: ${trouble.reason}`);
if (changes > 0) throw new Error(`Expected only polls without changes, but tasks changed ${changes} times.`);
process.send?.({
  ...cost,
  polls,
  requests,
  p50LatenessMs: percentile(lateness, 0.5),
  p95LatenessMs: percentile(lateness, 0.95),
} satisfies EngineFigures);

await tasks.pause();
await gateway.close();
await tasks.stop();
process.disconnect();
