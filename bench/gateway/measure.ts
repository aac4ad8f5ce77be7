import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, table } from '../table.ts';
import type { Assignment, Figures, Variant } from './caller.ts';
import type { ServerInfo } from './server.ts';

const ROUNDS = 5;
const POLL_COUNT = 20_000;
const REQUESTS_IN_FLIGHT = 64;

const variants: Readonly<Record<Variant, string>> = { bare: 'bare undici.request', client: 'client (imgx.get)' };

/** Measures the same polls of the same server, alternating between bare undici and the client, each in its own process. */
export async function measureGateway(): Promise<void> {
  const server = start('server.ts');
  try {
    const serverInfo = await messageFrom<ServerInfo>(server);
    const results: Record<Variant, Figures[]> = { bare: [], client: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of ['bare', 'client'] as const) {
        results[variant].push(
          await runCaller({ variant, ...serverInfo, polls: POLL_COUNT, inFlight: REQUESTS_IN_FLIGHT }),
        );
      }
    }
    report(results);
  } finally {
    server.kill();
  }
}

async function runCaller(assignment: Assignment): Promise<Figures> {
  const caller = start('caller.ts');
  caller.send(assignment);
  const figures = await messageFrom<Figures>(caller);
  caller.disconnect();
  await once(caller, 'exit');
  return figures;
}

function start(file: string): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)));
}

async function messageFrom<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A measured process ended early with code ${String(code)}.`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message as T;
}

function report(results: Record<Variant, Figures[]>): void {
  const medianOf = (variant: Variant, pick: (figures: Figures) => number): number => median(results[variant].map(pick));
  const rows = (Object.keys(variants) as Variant[]).map((variant) => [
    variants[variant],
    Math.round(medianOf(variant, ({ seconds }) => POLL_COUNT / seconds)).toLocaleString('en'),
    medianOf(variant, ({ cpuMicros }) => cpuMicros / POLL_COUNT).toFixed(1),
    (medianOf(variant, ({ cpuMicros }) => cpuMicros) / medianOf('bare', ({ cpuMicros }) => cpuMicros)).toFixed(2),
    (medianOf(variant, ({ residentBytes }) => residentBytes) / 2 ** 20).toFixed(0),
    (medianOf(variant, ({ heapBytes }) => heapBytes) / 2 ** 20).toFixed(1),
  ]);
  console.log(
    `\n${POLL_COUNT.toLocaleString('en')} polls of one running imgx task, ${REQUESTS_IN_FLIGHT} in flight, median of ${ROUNDS} rounds:\n`,
  );
  console.log(table(['', 'polls/s', 'CPU µs/poll', 'CPU ratio', 'peak RSS MiB', 'heap MiB after'], rows));
}
