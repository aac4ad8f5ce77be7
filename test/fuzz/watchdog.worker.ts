import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

interface WatchdogData {
  state: SharedArrayBuffer;
  bytes: SharedArrayBuffer;
  path: string;
  maxSeconds: number;
  pid: number;
}

const { state, bytes, path, maxSeconds, pid } = workerData as WatchdogData;
const [count, length] = [new Int32Array(state, 0, 1), new Int32Array(state, 4, 1)];
const CHECK_MS = 1_000;

const usedSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let lastCheck = { count: 0, usedSeconds: 0 };

setInterval(() => {
  const currentCheck = { count: Atomics.load(count, 0), usedSeconds: usedSeconds() };
  if (currentCheck.count === 0 || currentCheck.count !== lastCheck.count) lastCheck = currentCheck;
  if (currentCheck.usedSeconds - lastCheck.usedSeconds < maxSeconds) return;
  writeFileSync(path, Buffer.from(new Uint8Array(bytes, 0, length[0] ?? 0).slice()));
  process.stderr.write(`An input took longer than ${maxSeconds} seconds: ${path}\n`);
  process.kill(pid, 'SIGKILL');
}, CHECK_MS);
