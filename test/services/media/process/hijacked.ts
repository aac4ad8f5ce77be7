import { spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { systemClock } from '../../../../src/lib/clock.ts';
import { WorkerPool } from '../../../../src/lib/worker-pool.ts';
import { FrameReader, writeFrame } from '../../../../src/services/media/process/frames.ts';

// A media process that was taken over: it keeps its jobs for ever, and reaches for files of the bot.
const pipe = new Socket({ fd: 3 });
const heldJobs: number[] = [];
const claim = (id: number): void => {
  writeFrame(pipe, { id, now: 'waiting' });
  writeFrame(pipe, { id, now: 'working' });
};

const reader = new FrameReader(Number.POSITIVE_INFINITY, ({ metadata }) => {
  const { id, job } = JSON.parse(metadata);
  if (job.do === 'drawn-mask') setInterval(() => claim(id), 1);
  // Claims memory again with every other job.
  else if (job.do === 'measure') heldJobs.push(id);
  // Only waits.
  else if (job.do === 'check') writeFrame(pipe, { id, now: 'waiting' });
  else if (job.do === 'chart') void reachFor(job.chart.title).then((facts) => writeFrame(pipe, { id, facts }));
  else {
    for (const held of heldJobs) claim(held);
    writeFrame(pipe, { id, facts: {} });
  }
});
pipe.on('data', (chunk: Buffer) => reader.read(chunk));
for (const end of ['end', 'close', 'error']) pipe.on(end, () => process.kill(process.pid, 'SIGKILL'));

const thread = `
  import { readFileSync } from 'node:fs';
  import { parentPort } from 'node:worker_threads';
  const codeOf = ${codeOf.toString()};
  parentPort.on('message', (path) => parentPort.postMessage({ done: codeOf(() => readFileSync(path)) }));
`;

async function reachFor(path: string) {
  const threads = new WorkerPool<string, string>(
    new URL(`data:text/javascript,${encodeURIComponent(thread)}`),
    systemClock,
  );
  return {
    read: codeOf(() => readFileSync(path)),
    inThread: await threads.run(path, []),
    write: codeOf(() => openSync(path, 'r+')),
    spawn: codeOf(() => spawnSync('cat', [path])),
  };
}

function codeOf(work: () => unknown) {
  try {
    work();
    return 'done';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
}
