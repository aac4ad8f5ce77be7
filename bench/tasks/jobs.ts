import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, messageFrom, start } from '../discord/child.ts';
import type { JobFigures, Order, Orders, Served, SidesInput, Workload } from './job-orders.ts';
import { StoreFolder } from './store-folder.ts';

const LOOK_MS = 500;
/** No job lasts so long, however many times slower it was made. */
const WAIT_LIMIT_MS = 120_000;

/** Orders jobs of the bot between the embedded sides, and waits until Discord has heard of the end of each. */
export async function runJobs(
  workload: Workload,
  pace: Pick<SidesInput, 'clockSpeed' | 'gatewaySpeed'>,
): Promise<JobFigures[]> {
  const programArguments = [JSON.stringify({ ...pace, clockOrigin: Date.now() } satisfies SidesInput)];
  const folder = await StoreFolder.open();
  const sides = start(new URL('job-sides.ts', import.meta.url), { programArguments });
  let bot: ChildProcess | undefined;
  try {
    const { settings } = await messageFrom<Served>(sides);
    const file = await folder.filled({ tasks: 0, ageMs: 0 });
    const environment = { ...settings, STORE_URL: `sqlite://${file}` };
    bot = start(new URL('quick-bot.ts', import.meta.url), { environment, programArguments });
    await messageFrom(bot);
    await ask(sides, 'begin', workload);
    const timeout = AbortSignal.timeout(WAIT_LIMIT_MS);
    while ((await ask(sides, 'open', null)) > 0) await sleep(LOOK_MS, undefined, { signal: timeout });
    return await ask(sides, 'figures', null);
  } finally {
    if (bot) await end(bot);
    await end(sides);
    await folder.close();
  }
}

async function ask<Kind extends keyof Orders>(
  sides: ChildProcess,
  kind: Kind,
  input: Orders[Kind]['input'],
): Promise<Orders[Kind]['answer']> {
  sides.send({ kind, input } as Order);
  return messageFrom<Orders[Kind]['answer']>(sides);
}
