import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { vi } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ScriptEnding {
  code: number;
  output: string;
}

interface ScriptOptions {
  args?: readonly string[];
  settings?: Readonly<Record<string, string>>;
  /** The working folder. */
  folder?: string;
}

let runCount = 0;

/** Runs a script in this process, one at a time: a start of Node takes a second, and is proven once for each script. */
export async function runScriptHere(
  entry: string,
  { args = [], settings = {}, folder = root }: ScriptOptions = {},
): Promise<ScriptEnding> {
  const { argv, env, exitCode } = process;
  const folderBefore = process.cwd();
  let output = '';
  const collect = (...values: unknown[]): void => {
    output += `${format(...values)}\n`;
  };
  const write = (chunk: string | Uint8Array): boolean => {
    output += chunk.toString();
    return true;
  };
  const spies = [
    ...(['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(collect)),
    ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(write)),
  ];
  process.argv = [process.execPath, join(root, entry), ...args];
  process.env = { PATH: env.PATH, ...settings };
  process.exitCode = undefined;
  process.chdir(folder);
  try {
    // A module that has run once does not run again by the same name.
    const script = (await import(`${pathToFileURL(join(root, entry)).href}?run=${++runCount}`)) as {
      main?: () => Promise<void>;
    };
    await script.main?.();
    return { code: Number(process.exitCode ?? 0), output };
  } finally {
    process.chdir(folderBefore);
    Object.assign(process, { argv, env, exitCode });
    for (const spy of spies) spy.mockRestore();
  }
}
