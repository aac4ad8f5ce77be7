import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

interface Watched {
  state: SharedArrayBuffer;
  bytes: SharedArrayBuffer;
  path: string;
  maxSeconds: number;
  pid: number;
}

const { state, bytes, path, maxSeconds, pid } = workerData as Watched;
const [count, length] = [new Int32Array(state, 0, 1), new Int32Array(state, 4, 1)];
const CHECK_MS = 1_000;

const usedSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let last = { count: 0, usedSeconds: 0 };

setInterval(() => {
  const now = { count: Atomics.load(count, 0), usedSeconds: usedSeconds() };
  if (now.count === 0 || now.count !== last.count) last = now;
  if (now.usedSeconds - last.usedSeconds < maxSeconds) return;
  writeFileSync(path, Buffer.from(new Uint8Array(bytes, 0, length[0] ?? 0).slice()));
  process.stderr.write(`An input took longer than ${maxSeconds} seconds: ${path}\n`);
  process.kill(pid, 'SIGKILL');
}, CHECK_MS);
