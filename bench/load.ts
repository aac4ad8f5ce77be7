import { setTimeout as sleep } from 'node:timers/promises';
import { createStudio, type Studio } from '../sandbox/gateway/studio/index.ts';
import { number } from './compare.ts';
import { Bot } from './harness/bot.ts';
import { peakResidentBytes, residentBytes } from './harness/processes.ts';
import { program } from './harness/program.ts';
import { noiseImage, openSides, UNLIMITED } from './harness/sides.ts';
import { table } from './table.ts';
import { StoreFolder } from './tasks/store-folder.ts';

const JOB_COUNT = 500;
/** This many jobs are requested before the progress is checked. */
const BATCH_SIZE = 10;
const CHECK_INTERVAL_MS = 500;
/** From the last order on. */
const RESULTS_LIMIT_MS = 10 * 60_000;
const TARGET_MIB = 200;
const MIB = 2 ** 20;
/** Half speed, so that all jobs are running when the first ones end. */
const GATEWAY_SPEED = 0.5;
const [IMAGE_SIDE, PREVIEW_SIDE] = [840, 64];
const MIN_BYTES = 2_000_000;

const startSides = program(import.meta, sides);

/** Measures the peak memory of the bot's process, as recorded by the kernel, while many results of two megabytes arrive. */
export async function measureLoad(): Promise<void> {
  const folder = await StoreFolder.open();
  const embedded = await startSides();
  const file = await folder.createStore({ tasks: 0, ageMs: 0 });
  const bot = new Bot({ ...(await embedded.call('settings')), STORE_URL: `sqlite://${file}` });
  try {
    await bot.ready;
    const readyBytes = await residentBytes(bot.pid);
    for (let jobs = 0; jobs < JOB_COUNT; jobs += BATCH_SIZE) await embedded.call('order', BATCH_SIZE);
    const orderedBytes = await peakResidentBytes(bot.pid);
    const { ended } = await embedded.call('progress');
    await allShown(async () => (await embedded.call('progress')).shown);
    const shownBytes = await peakResidentBytes(bot.pid);
    const final = await bot.call('idleUsage');
    console.log(`
${JOB_COUNT} image jobs, of which ${JOB_COUNT - ended} were still in flight when the last one was ordered, each with a result of two megabytes; MiB of the bot's
own process, as reported by the kernel. Target: at most ${TARGET_MIB}.
`);
    const rows = [
      ['when ready', number(readyBytes / MIB)],
      ['peak until all are ordered', number(orderedBytes / MIB)],
      ['peak until all are shown', number(shownBytes / MIB)],
      ['at the end, after a garbage collection', number(final.residentBytes / MIB)],
    ];
    console.log(table(['', 'MiB'], rows));
  } finally {
    await Promise.all([bot.stop(), embedded.stop()]);
    await folder.close();
  }
}

async function allShown(countShown: () => Promise<number>): Promise<void> {
  const deadline = performance.now() + RESULTS_LIMIT_MS;
  for (let shown = await countShown(); shown < JOB_COUNT; shown = await countShown()) {
    if (performance.now() > deadline) {
      const missing = `${JOB_COUNT - shown} of ${JOB_COUNT} results were not shown`;
      throw new Error(
        `${missing} within ${RESULTS_LIMIT_MS / 60_000} minutes of the last order. Look at the bot's log.`,
      );
    }
    await sleep(CHECK_INTERVAL_MS);
  }
}

/** All results are the same image, because drawing is not measured. */
async function sides() {
  const [image, preview] = await Promise.all([noiseImage(IMAGE_SIDE), noiseImage(PREVIEW_SIDE)]);
  if (image.bytes.length < MIN_BYTES) throw new Error(`The image has only ${image.bytes.length} bytes.`);
  const drawGrid: Studio['drawGrid'] = async (_, { finished }) => (finished === undefined ? image : preview);
  const { discord, gateway, settings } = await openSides({
    gateway: { seed: 1, speed: GATEWAY_SPEED, studio: { ...createStudio(), drawGrid } },
    discord: { limits: { webhookPerToken: UNLIMITED, acknowledgeMs: 60_000 } },
  });
  /** The embedded Discord's request log drops its oldest entries, so the ids of requests with a result are kept here. */
  const shownRequestIds = new Set<number>();
  /** Makes each prompt different, because a repeated request would count as a duplicate. */
  let orderCount = 0;
  const progress = () => {
    for (const { id, status, files } of discord.requests)
      if (status === 200 && files.some((file) => file.bytes >= MIN_BYTES)) shownRequestIds.add(id);
    const ended = gateway.jobs.list().filter(({ state }) => state === 'succeeded').length;
    return { ended, shown: shownRequestIds.size };
  };
  return {
    settings: () => ({ ...settings, GATEWAY_POLLS_PER_SECOND: '200' }),
    progress,
    async order(jobs: number): Promise<void> {
      for (let job = 0; job < jobs; job++) {
        orderCount += 1;
        const exchange = await discord.as('member').slash('imagine', { prompt: `a fox, number ${orderCount}` });
        await exchange.acknowledged();
      }
      progress();
    },
  };
}
