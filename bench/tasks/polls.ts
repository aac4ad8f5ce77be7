import { setTimeout as sleep } from 'node:timers/promises';
import { createGateway } from '../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import { alternate, comparison, medianOf, ratioOf } from '../compare.ts';
import { messageFrom } from '../discord/child.ts';
import { launch, program, stop } from '../harness/program.ts';
import { measureCpuUse } from './counted.ts';
import type { EngineFigures, EngineInput } from './engine.ts';
import { remoteIdOf } from './filled-store.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubInfo } from './stub.ts';

const TASKS = 5_000;
const CPU_ROUNDS = 3;
const IN_FLIGHT = 64;
/** One lane may use three quarters of all concurrent polls. */
const TOTAL_IN_FLIGHT = 86;
/** The engine's clock runs this many times as fast, so that a poll is always due, just as the client alone always has a task to poll. */
const CLOCK_SPEED = 20;
const CPU_TIMES = { warmUpMs: 2_500, countedMs: 3_000 } as const;
const LOAD_ROUNDS = 2;
const LOAD_TIMES = { warmUpMs: 3_500, countedMs: 6_000 } as const;
/** How often the specification's schedule polls a task in its first half minute. */
const POLL_INTERVAL_SECONDS = 2.5;
/** As set by GATEWAY_POLLS_PER_SECOND=10000 and GATEWAY_CONNECTIONS=256, of which three quarters are for polls. */
const BUDGET = { perSecond: 10_000, connections: 256, inFlight: 192 };

const startClient = program(import.meta, client);

/** Measures the CPU time of a poll in the engine, and what share of the required poll rate the engine achieves. */
export async function measurePolls(): Promise<void> {
  const folder = await StoreFolder.open();
  const stub = launch(new URL('stub.ts', import.meta.url));
  const runEngine = async (input: Omit<EngineInput, 'file' | 'gatewayUrl'>): Promise<EngineFigures> => {
    const engine = launch(new URL('engine.ts', import.meta.url));
    engine.send({ file: await folder.createStore({ tasks: TASKS, ageMs: 0 }), gatewayUrl, ...input });
    const figures = await messageFrom<EngineFigures>(engine);
    await stop(engine);
    return figures;
  };
  const { url: gatewayUrl } = await messageFrom<StubInfo>(stub);
  try {
    await measureCpu(gatewayUrl, runEngine);
    await measureRate(runEngine);
  } finally {
    await Promise.all([folder.close(), stop(stub)]);
  }
}

type RunEngine = (input: Omit<EngineInput, 'file' | 'gatewayUrl'>) => Promise<EngineFigures>;

/** Measures the same polls of the same server, alternating between the client alone and the engine around it. */
async function measureCpu(gatewayUrl: string, runEngine: RunEngine): Promise<void> {
  const variants = { client: 'client alone (imgx.get)', engine: 'whole engine' } as const;
  const results = await alternate(variants, CPU_ROUNDS, async (variant) => {
    if (variant === 'engine')
      return runEngine({
        pollsInBatches: false,
        connections: IN_FLIGHT,
        clockSpeed: CLOCK_SPEED,
        isTimed: false,
        perSecond: 1_000_000,
        inFlight: TOTAL_IN_FLIGHT,
        ...CPU_TIMES,
      });
    const alone = await startClient(gatewayUrl);
    const figures = await alone.call('poll');
    await alone.stop();
    return figures;
  });
  console.log(`
Polls of running tasks without news, ${IN_FLIGHT} in flight at all times, median of ${CPU_ROUNDS} alternating rounds. The engine has ${TASKS.toLocaleString('en')} live tasks
and a clock ${CLOCK_SPEED} times as fast as the machine's, so that a poll is always due.
`);
  console.log(
    comparison(variants, results, [
      ['polls/s', medianOf(({ polls, seconds }) => polls / seconds)],
      ['CPU µs/poll', medianOf(({ cpuMicros, polls }) => cpuMicros / polls)],
      ['ratio', ratioOf(({ cpuMicros, polls }) => cpuMicros / polls)],
    ]),
  );
}

/** Measures what share of the required poll rate is achieved when thousands of new tasks are polled at once. */
async function measureRate(runEngine: RunEngine): Promise<void> {
  const variants = { singly: 'one by one', lists: 'in lists (GATEWAY_IMGX_LISTS)' } as const;
  const pace = { clockSpeed: 1, isTimed: true, ...LOAD_TIMES };
  const results = await alternate(variants, LOAD_ROUNDS, (variant) =>
    runEngine({ pollsInBatches: variant === 'lists', ...BUDGET, ...pace }),
  );
  const targetRate = TASKS / POLL_INTERVAL_SECONDS;
  console.log(`
${TASKS.toLocaleString('en')} live tasks in their first half minute, the budget raised to ${BUDGET.perSecond.toLocaleString('en')} polls a second and ${BUDGET.connections} connections; ${targetRate.toLocaleString('en')} polls a second are
due, or a little less because of the time that responses take. A list includes tasks that would fall due soon, and polls these early.
`);
  console.log(
    comparison(variants, results, [
      ['polls/s', medianOf(({ polls, seconds }) => polls / seconds)],
      ['of target', medianOf(({ polls, seconds }) => (100 * polls) / seconds / targetRate, 0, '%')],
      ['requests/s', medianOf(({ requests, seconds }) => requests / seconds)],
      ['p50 late ms', medianOf(({ p50LatenessMs }) => p50LatenessMs)],
      ['p95 late ms', medianOf(({ p95LatenessMs }) => p95LatenessMs)],
      ['CPU', medianOf(({ cpuMicros, seconds }) => cpuMicros / seconds / 10_000, 0, '%')],
      ['CPU µs/poll', medianOf(({ cpuMicros, polls }) => cpuMicros / polls)],
    ]),
  );
}

/** Runs only the gateway client. It polls the engine's tasks in turn, with a fixed number of polls in flight. */
async function client(gatewayUrl: string) {
  const gateway = createGateway({
    ...defaultSettings,
    baseUrl: gatewayUrl,
    apiKey: 'sk-sandbox',
    connections: IN_FLIGHT,
  });
  const remoteIds = Array.from({ length: TASKS }, (_, number) => remoteIdOf(number));
  return {
    async poll() {
      let polls = 0;
      let isOver = false;
      const pollRepeatedly = async (): Promise<void> => {
        while (!isOver) {
          polls += 1;
          await gateway.imgx.get(remoteIds[polls % remoteIds.length] ?? '', { attempts: 1 });
        }
      };
      const loops = Array.from({ length: IN_FLIGHT }, pollRepeatedly);
      await sleep(CPU_TIMES.warmUpMs);
      polls = 0;
      const figures = { ...(await measureCpuUse(CPU_TIMES.countedMs)), polls };
      isOver = true;
      await Promise.all(loops);
      return figures;
    },
  };
}
