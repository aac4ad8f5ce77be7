import { end, messageFrom, start } from '../discord/child.ts';
import { median, table } from '../table.ts';
import type { EngineFigures } from './engine.ts';
import { runEngine } from './engine-run.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubServed } from './stub.ts';

const ROUNDS = 2;
const TASKS = 5_000;
/** The first half minute of the specification's schedule: each task is polled so often. */
const GAP_SECONDS = 2.5;
const WARM_UP_MS = 3_500;
const COUNTED_MS = 6_000;
/** As set by GATEWAY_POLLS_PER_SECOND=10000 and GATEWAY_CONNECTIONS=256, of which three quarters are for polls. */
const BUDGET = { perSecond: 10_000, connections: 256, inFlight: 192 };

const ways = { singly: 'one by one', lists: 'in lists (GATEWAY_IMGX_LISTS)' } as const;
type Way = keyof typeof ways;

/** Measures the achieved share of the wanted poll rate when thousands of young tasks are followed at once. */
export async function measureLoad(): Promise<void> {
  const results: Record<Way, EngineFigures[]> = { singly: [], lists: [] };
  const folder = await StoreFolder.open();
  const stub = start(new URL('stub.ts', import.meta.url));
  try {
    const { url: gatewayUrl } = await messageFrom<StubServed>(stub);
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of ['singly', 'lists'] as const) {
        const file = await folder.filled({ tasks: TASKS, ageMs: 0 });
        const pace = { clockSpeed: 1, isTimed: true, warmUpMs: WARM_UP_MS, countedMs: COUNTED_MS };
        results[way].push(await runEngine({ file, gatewayUrl, pollsInBatches: way === 'lists', ...BUDGET, ...pace }));
      }
    }
  } finally {
    await Promise.all([folder.close(), end(stub)]);
  }
  report(results);
}

function report(results: Record<Way, EngineFigures[]>): void {
  const wanted = TASKS / GAP_SECONDS;
  const rows = (Object.keys(ways) as Way[]).map((way) => {
    const middle = (pick: (figures: EngineFigures) => number): number => median(results[way].map(pick));
    const done = middle(({ polls, seconds }) => polls / seconds);
    return [
      ways[way],
      Math.round(done).toLocaleString('en'),
      `${((100 * done) / wanted).toFixed(0)} %`,
      Math.round(middle(({ questions, seconds }) => questions / seconds)).toLocaleString('en'),
      middle(({ p50LatenessMs }) => p50LatenessMs).toFixed(0),
      middle(({ p95LatenessMs }) => p95LatenessMs).toFixed(0),
      `${middle(({ cpuMicros, seconds }) => cpuMicros / seconds / 10_000).toFixed(0)} %`,
      middle(({ cpuMicros, polls }) => cpuMicros / polls).toFixed(0),
    ];
  });
  console.log(`
${TASKS.toLocaleString('en')} live tasks in their first half minute, the budget raised to ${BUDGET.perSecond.toLocaleString('en')} questions a second and ${BUDGET.connections} connections; ${wanted.toLocaleString('en')} polls a second are
wanted, a little less with the time that answers take. A list takes along what would fall due soon, which is then early.
`);
  console.log(
    table(['', 'polls/s', 'of wanted', 'questions/s', 'p50 late ms', 'p95 late ms', 'CPU', 'CPU µs/poll'], rows),
  );
}
