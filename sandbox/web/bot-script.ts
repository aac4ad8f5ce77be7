import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** As `npm start` does. */
const memory = ['--max-semi-space-size=2', '--v8-pool-size=1'];
/**
 * Preloads the same checks and compile cache as `npm start`, but does not read the operator's `.env`. `stop-with-parent.mjs` replaces
 * `stop-with-npm.mjs`: it ends the process when the sandbox ends.
 */
const imports = ['./scripts/check-node.mjs', './scripts/compile-cache.mjs', './sandbox/web/stop-with-parent.mjs'];

export const nodeArguments = (file: string, preloaded: readonly string[] = []): string[] => [
  ...memory,
  ...[...imports, ...preloaded].flatMap((path) => ['--import', path]),
  file,
];

/** Runs one of the bot's scripts until it exits; returns its output for error messages. */
export async function runScript(
  script: string,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, nodeArguments(script), {
    cwd: root,
    env: { ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
