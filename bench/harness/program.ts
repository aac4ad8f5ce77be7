import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The bot gives running work ten seconds to finish. */
const STOP_LIMIT_MS = 30_000;

/** What one process can be asked by the process that started it. */
// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts functions with every kind of parameter.
type Calls = Readonly<Record<string, (input: any) => unknown>>;

export interface Call {
  id: number;
  name: string;
  input: unknown;
}

export interface LaunchOptions {
  environment?: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  programArguments?: readonly string[];
  /** Whether the log of the process can be read. */
  hasLog?: boolean;
}

/** Starts a process that inherits only PATH from this environment, and leads a process group of its own. */
export function launch(file: string | URL, options: LaunchOptions = {}): ChildProcess {
  const { environment, nodeOptions = [], programArguments = [], hasLog = false } = options;
  const child = fork(fileURLToPath(file), programArguments, {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: [...nodeOptions],
    stdio: ['ignore', hasLog ? 'pipe' : 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** Asks a process to exit and waits until it has; one that does not react is killed. Resolves with the exit code. */
export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
  return child.exitCode;
}

/** Another process, seen from the one that started it. */
export class Remote<C extends Calls> {
  readonly child: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #callCount = 0;

  constructor(child: ChildProcess) {
    this.child = child;
    child.on('message', ({ id, output }: { id: number; output: unknown }) => {
      this.#pending.get(id)?.resolve(output);
      this.#pending.delete(id);
    });
    child.once('exit', (code) => {
      for (const { reject } of this.#pending.values())
        reject(new Error(`A measured process ended early with code ${code}.`));
    });
  }

  async call<Name extends keyof C & string>(
    name: Name,
    ...[input]: Parameters<C[Name]>
  ): Promise<Awaited<ReturnType<C[Name]>>> {
    this.#callCount += 1;
    const reply = this.#replyTo(this.#callCount);
    this.child.send({ id: this.#callCount, name, input } satisfies Call);
    return (await reply) as Awaited<ReturnType<C[Name]>>;
  }

  /** Resolves once the process accepts calls. */
  async opened(): Promise<this> {
    await this.#replyTo(0);
    return this;
  }

  async stop(): Promise<void> {
    await stop(this.child);
  }

  #replyTo(id: number): Promise<unknown> {
    const resolvers = Promise.withResolvers<unknown>();
    this.#pending.set(id, resolvers);
    return resolvers.promise;
  }
}

/**
 * Declares what a file does in a process of its own: `open` runs there, and returns what the process can be asked. The returned function starts
 * such a process.
 */
export function program<C extends Calls, Input = void>(
  { main, url }: ImportMeta,
  open: (input: Input) => Promise<C>,
): (input: Input, nodeOptions?: readonly string[]) => Promise<Remote<C>> {
  const [name, argument = ''] = process.argv.slice(2);
  // Later, because `open` may use what the rest of the file declares.
  if (main && name === open.name) setImmediate(serve, () => open(argument === '' ? undefined : JSON.parse(argument)));
  return (input, nodeOptions = []) =>
    new Remote<C>(launch(url, { programArguments: [open.name, JSON.stringify(input) ?? ''], nodeOptions })).opened();
}

async function serve(open: () => Promise<Calls>): Promise<void> {
  // It must not outlive the process that measures it.
  process.once('disconnect', () => process.exit());
  const calls = await open();
  process.on('message', async ({ id, name, input }: Call) => {
    process.send?.({ id, output: (await calls[name]?.(input)) ?? null });
  });
  process.send?.({ id: 0 });
}
