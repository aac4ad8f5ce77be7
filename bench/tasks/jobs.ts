import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageFrom } from '../discord/child.ts';
import { launch, stop } from '../harness/program.ts';
import type { Command, Commands, EmbeddedServersInput, JobFigures, ServerInfo, Workload } from './job-orders.ts';
import { StoreFolder } from './store-folder.ts';

const CHECK_INTERVAL_MS = 500;
/** No job takes longer than this, however much it is slowed down. */
const WAIT_LIMIT_MS = 120_000;

/** Orders jobs from the bot through the embedded servers, and waits until the end of each is shown in Discord. */
export async function runJobs(
  workload: Workload,
  pace: Pick<EmbeddedServersInput, 'clockSpeed' | 'gatewaySpeed'>,
): Promise<JobFigures[]> {
  const programArguments = [JSON.stringify({ ...pace, clockOrigin: Date.now() } satisfies EmbeddedServersInput)];
  const folder = await StoreFolder.open();
  const embeddedServers = launch(new URL('job-sides.ts', import.meta.url), { programArguments });
  let bot: ChildProcess | undefined;
  try {
    const { settings } = await messageFrom<ServerInfo>(embeddedServers);
    const file = await folder.createStore({ tasks: 0, ageMs: 0 });
    const environment = { ...settings, STORE_URL: `sqlite://${file}`, LOG_LEVEL: 'warn' };
    bot = launch(new URL('quick-bot.ts', import.meta.url), { environment, programArguments });
    await messageFrom(bot);
    await request(embeddedServers, 'begin', workload);
    const waitLimit = AbortSignal.timeout(WAIT_LIMIT_MS);
    while ((await request(embeddedServers, 'open', null)) > 0)
      await sleep(CHECK_INTERVAL_MS, undefined, { signal: waitLimit });
    return await request(embeddedServers, 'figures', null);
  } finally {
    if (bot) await stop(bot);
    await stop(embeddedServers);
    await folder.close();
  }
}

async function request<Kind extends keyof Commands>(
  embeddedServers: ChildProcess,
  kind: Kind,
  input: Commands[Kind]['input'],
): Promise<Commands[Kind]['output']> {
  embeddedServers.send({ kind, input } as Command);
  return messageFrom<Commands[Kind]['output']>(embeddedServers);
}
