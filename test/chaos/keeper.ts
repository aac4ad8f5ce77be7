import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { shipped } from '../support/shipped.ts';
import { within } from './waiting.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** On a busy machine, a start takes minutes. */
const START_WAIT_LIMIT_MS = 180_000;
const SCRIPT_WAIT_LIMIT_MS = 60_000;
/** The bot allows ten seconds for running work, and a busy machine needs more time for the rest. */
const STOP_WAIT_LIMIT_MS = 120_000;

export interface Ended {
  code: number | null;
  said: string;
}

interface Life {
  args?: readonly string[];
  /** How long the process may live. */
  timeout?: number;
}

/** A shipped entry point in a separate process, started as `npm start` does. */
function spawned(entry: string, settings: Record<string, string>, { args = [], timeout }: Life = {}): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', ...settings };
  return spawn(process.execPath, [...shipped(entry), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    timeout,
  });
}

/** Runs a script to its end. */
export async function runToEnd(entry: string, settings: Record<string, string>, ...args: string[]): Promise<Ended> {
  const child = spawned(entry, settings, { args, timeout: SCRIPT_WAIT_LIMIT_MS });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (said += piece.toString()));
  const [code] = await once(child, 'close');
  return { code: code as number | null, said };
}

/** The exit code after a lost lease, after which the bot must be restarted, as the README tells operators. */
const EX_TEMPFAIL = 75;

/** What is known about the bot's processes. */
export type Lives = Pick<Keeper, 'said' | 'kills' | 'starts' | 'startsMs' | 'falls' | 'losses'>;

/** Keeps one bot running: starts it, kills it, and notices when it exits without a signal. */
export class Keeper {
  readonly #settings: Record<string, string>;
  readonly #ready: string;
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(null);
  #said = '';
  #isMeant = false;
  #isClosed = false;
  readonly kills: number[] = [];
  /** When each process was started. */
  readonly starts: number[] = [];
  /** Time from each start until the bot was ready. */
  readonly startsMs: number[] = [];
  /** The exit codes of processes that exited on their own. */
  readonly falls: (number | null)[] = [];
  /** How many times the bot gave up its store because it got no CPU time for longer than its lease. */
  losses = 0;

  constructor(settings: Record<string, string>, ready = 'Atelier is ready.') {
    this.#settings = settings;
    this.#ready = ready;
    // The process that runs this may be ended from outside; no child process may outlive it.
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** The output of all processes. */
  get said(): string {
    return this.#said;
  }

  get isAlive(): boolean {
    return this.#child !== undefined;
  }

  async start(): Promise<void> {
    if (this.#isClosed) return;
    const startedAt = Date.now();
    this.starts.push(startedAt);
    const child = spawned('src/index.ts', this.#settings);
    this.#child = child;
    this.#isMeant = false;
    const before = this.#said.length;
    const isHere = (): boolean => this.#said.includes(this.#ready, before);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => (this.#said += piece.toString()));
    this.#ended = once(child, 'close').then(async ([code]) => {
      this.#child = undefined;
      if (!this.#isMeant) await this.#fallen(code as number | null);
      return code as number | null;
    });
    await within(START_WAIT_LIMIT_MS, () => isHere() || this.#child !== child);
    if (isHere()) this.startsMs.push(Date.now() - startedAt);
  }

  async #fallen(code: number | null): Promise<void> {
    if (code !== EX_TEMPFAIL) this.falls.push(code);
    else {
      this.losses += 1;
      // Ends immediately, as if killed.
      this.kills.push(Date.now());
      await this.start();
    }
  }

  /** Kills the bot, as a power cut would. */
  async kill(): Promise<void> {
    if (!this.#child) return;
    this.#isMeant = true;
    this.kills.push(Date.now());
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Suspends the process, as a suspended machine would, and resumes it. */
  async suspend(ms: number): Promise<void> {
    const child = this.#child;
    this.kills.push(Date.now());
    child?.kill('SIGSTOP');
    await within(ms, () => this.#child !== child);
    child?.kill('SIGCONT');
  }

  /** Stops the bot as an operator would; resolves to its exit code. */
  async stop(): Promise<number | null> {
    this.#isMeant = true;
    const child = this.#child;
    child?.kill('SIGTERM');
    const inTime = await within(STOP_WAIT_LIMIT_MS, () => this.#child !== child || child === undefined);
    if (!inTime) child?.kill('SIGKILL');
    return this.#ended;
  }

  /** Ends the bot for good, regardless of other pending steps: it is not started again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isMeant = true;
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }
}
