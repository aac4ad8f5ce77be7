import { on } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastClock } from './fast-clock.ts';
import type { Order, Orders, Served, SidesInput } from './job-orders.ts';
import { Workday } from './workday.ts';

/** The embedded servers in their own process: members who request jobs, and the gateway that runs them. */

const [input = '{}'] = process.argv.slice(2);
const { clockSpeed, clockOrigin, gatewaySpeed } = JSON.parse(input) as SidesInput;
const day = await Workday.begin(fastClock(clockSpeed, clockOrigin), clockSpeed, gatewaySpeed);

const does: { [Kind in keyof Orders]: (input: Orders[Kind]['input']) => Promise<Orders[Kind]['answer']> } = {
  async begin({ jobs, everyMs }) {
    for (const job of jobs) await Promise.all([day.order(job), sleep(everyMs)]);
    return null;
  },
  open: async () => day.open,
  figures: () => day.figures(),
};

process.send?.({ settings: day.settings } satisfies Served);
for await (const [order] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = order as Order;
  process.send?.(await (does[kind] as (input: unknown) => Promise<unknown>)(input));
}
await day.close();
