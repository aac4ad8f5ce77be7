import { on } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastClock } from './fast-clock.ts';
import type { Command, Commands, EmbeddedServersInput, ServerInfo } from './job-orders.ts';
import { JobSimulation } from './workday.ts';

/** The embedded servers in their own process: members who request jobs, and the gateway that runs them. */

const [input = '{}'] = process.argv.slice(2);
const { clockSpeed, clockOrigin, gatewaySpeed } = JSON.parse(input) as EmbeddedServersInput;
const simulation = await JobSimulation.start(fastClock(clockSpeed, clockOrigin), clockSpeed, gatewaySpeed);

const handlers: { [Kind in keyof Commands]: (input: Commands[Kind]['input']) => Promise<Commands[Kind]['output']> } = {
  async begin({ jobs, everyMs }) {
    for (const job of jobs) await Promise.all([simulation.order(job), sleep(everyMs)]);
    return null;
  },
  open: async () => simulation.openCount,
  figures: () => simulation.figures(),
};

process.send?.({ settings: simulation.settings } satisfies ServerInfo);
for await (const [command] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = command as Command;
  process.send?.(await (handlers[kind] as (input: unknown) => Promise<unknown>)(input));
}
