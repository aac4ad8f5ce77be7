import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** How `npm start` and `npm run deploy` begin, but without the operator's `.env`; on a leash, so that none outlives the sandbox. */
const before = ['./scripts/check-node.mjs', './scripts/compile-cache.mjs', './sandbox/web/leash.mjs'];

export const entry = (file: string): string[] => [...before.flatMap((one) => ['--import', one]), file];

/** Runs a shipped script to its end; what it said is there to be shown where it fails. */
export async function runShipped(
  script: string,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, entry(script), {
    cwd: root,
    env: { ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (said += piece.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}
