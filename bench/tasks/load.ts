import { messageFrom } from '../discord/child.ts';
import { launch, stop } from '../harness/program.ts';
import { median, table } from '../table.ts';
import type { EngineFigures } from './engine.ts';
import { runEngine } from './engine-run.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubInfo } from './stub.ts';

const ROUNDS = 2;
const TASKS = 5_000;
/** How often the specification's schedule polls a task in its first half minute. */
const POLL_INTERVAL_SECONDS = 2.5;
const WARM_UP_MS = 3_500;
const MEASURED_MS = 6_000;
/** As set by GATEWAY_POLLS_PER_SECOND=10000 and GATEWAY_CONNECTIONS=256, of which three quarters are for polls. */
const BUDGET = { perSecond: 10_000, connections: 256, inFlight: 192 };

const variants = { singly: 'one by one', lists: 'in lists (GATEWAY_IMGX_LISTS)' } as const;
type Variant = keyof typeof variants;

/** Measures what share of the required poll rate is achieved when thousands of new tasks are polled at once. */
export async function measureLoad(): Promise<void> {
  const results: Record<Variant, EngineFigures[]> = { singly: [], lists: [] };
  const folder = await StoreFolder.open();
  const stub = launch(new URL('stub.ts', import.meta.url));
  try {
    const { url: gatewayUrl } = await messageFrom<StubInfo>(stub);
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of ['singly', 'lists'] as const) {
        const file = await folder.createStore({ tasks: TASKS, ageMs: 0 });
        const pace = { clockSpeed: 1, isTimed: true, warmUpMs: WARM_UP_MS, countedMs: MEASURED_MS };
        results[variant].push(
          await runEngine({ file, gatewayUrl, pollsInBatches: variant === 'lists', ...BUDGET, ...pace }),
        );
      }
    }
  } finally {
    await Promise.all([folder.close(), stop(stub)]);
  }
  report(results);
}

function report(results: Record<Variant, EngineFigures[]>): void {
  const targetRate = TASKS / POLL_INTERVAL_SECONDS;
  const rows = (Object.keys(variants) as Variant[]).map((variant) => {
    const medianOf = (pick: (figures: EngineFigures) => number): number => median(results[variant].map(pick));
    const achievedRate = medianOf(({ polls, seconds }) => polls / seconds);
    return [
      variants[variant],
      Math.round(achievedRate).toLocaleString('en'),
      `${((100 * achievedRate) / targetRate).toFixed(0)}%`,
      Math.round(medianOf(({ requests, seconds }) => requests / seconds)).toLocaleString('en'),
      medianOf(({ p50LatenessMs }) => p50LatenessMs).toFixed(0),
      medianOf(({ p95LatenessMs }) => p95LatenessMs).toFixed(0),
      `${medianOf(({ cpuMicros, seconds }) => cpuMicros / seconds / 10_000).toFixed(0)}%`,
      medianOf(({ cpuMicros, polls }) => cpuMicros / polls).toFixed(0),
    ];
  });
  console.log(`
${TASKS.toLocaleString('en')} live tasks in their first half minute, the budget raised to ${BUDGET.perSecond.toLocaleString('en')} polls a second and ${BUDGET.connections} connections; ${targetRate.toLocaleString('en')} polls a second are
due, or a little less because of the time that responses take. A list includes tasks that would fall due soon, and polls these early.
`);
  console.log(
    table(['', 'polls/s', 'of target', 'requests/s', 'p50 late ms', 'p95 late ms', 'CPU', 'CPU µs/poll'], rows),
  );
}
