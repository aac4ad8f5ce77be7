import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../support/kill-at-exit.ts';
import { shippedArgs } from '../support/shipped.ts';
import { waitUntil } from './waiting.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** On a busy machine, a start takes minutes. */
const START_WAIT_LIMIT_MS = 180_000;
/** The bot allows ten seconds for running work, and a busy machine needs more time for the rest. */
const STOP_WAIT_LIMIT_MS = 120_000;

/** Starts the shipped bot in a separate process, as `npm start` does. */
function spawnBot(settings: Record<string, string>): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', ...settings };
  return spawn(process.execPath, shippedArgs('src/index.ts'), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The exit code after a lost lease, after which the bot must be restarted, as the README tells operators. */
const EX_TEMPFAIL = 75;

/** What is known about the bot's processes. */
export type ProcessHistory = Pick<
  Keeper,
  'output' | 'kills' | 'starts' | 'startsMs' | 'unexpectedExits' | 'lostLeases'
>;

/** Keeps one bot running: starts it, kills it, and notices when it exits without a signal. */
export class Keeper {
  readonly #settings: Record<string, string>;
  readonly #readyMessage: string;
  #child: ChildProcess | undefined;
  #exitPromise: Promise<number | null> = Promise.resolve(null);
  #output = '';
  /** Where the output of the current process begins. */
  #outputStart = 0;
  #isExitExpected = false;
  #isClosed = false;
  readonly kills: number[] = [];
  /** When each process was started. */
  readonly starts: number[] = [];
  /** Time from each start until the bot was ready. */
  readonly startsMs: number[] = [];
  /** The exit codes of processes that exited on their own. */
  readonly unexpectedExits: (number | null)[] = [];
  /** How many times the bot gave up its store because it got no CPU time for longer than its lease. */
  lostLeases = 0;

  constructor(settings: Record<string, string>, readyMessage = 'Atelier is ready.') {
    this.#settings = settings;
    this.#readyMessage = readyMessage;
  }

  /** The output of all processes. */
  get output(): string {
    return this.#output;
  }

  /** Whether the current or last process has been ready. */
  get isReady(): boolean {
    return this.#output.includes(this.#readyMessage, this.#outputStart);
  }

  get isAlive(): boolean {
    return this.#child !== undefined;
  }

  async start(): Promise<void> {
    if (this.#isClosed) return;
    const startedAt = Date.now();
    this.starts.push(startedAt);
    const child = spawnBot(this.#settings);
    killAtExit(child);
    this.#child = child;
    this.#isExitExpected = false;
    this.#outputStart = this.#output.length;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => (this.#output += piece.toString()));
    this.#exitPromise = once(child, 'close').then(async ([code]) => {
      this.#child = undefined;
      if (!this.#isExitExpected) await this.#handleUnexpectedExit(code as number | null);
      return code as number | null;
    });
    await waitUntil(START_WAIT_LIMIT_MS, () => this.isReady || this.#child !== child);
    if (this.isReady) this.startsMs.push(Date.now() - startedAt);
  }

  async #handleUnexpectedExit(code: number | null): Promise<void> {
    if (code !== EX_TEMPFAIL) this.unexpectedExits.push(code);
    else {
      this.lostLeases += 1;
      // Such a process ends immediately, as if it had been killed.
      this.kills.push(Date.now());
      await this.start();
    }
  }

  /** Kills the bot, as a power cut would. */
  async kill(): Promise<void> {
    if (!this.#child) return;
    this.#isExitExpected = true;
    this.kills.push(Date.now());
    this.#child.kill('SIGKILL');
    await this.#exitPromise;
  }

  /** Suspends the process, as if its machine were asleep, and resumes it. */
  async suspend(ms: number): Promise<void> {
    const child = this.#child;
    this.kills.push(Date.now());
    child?.kill('SIGSTOP');
    await waitUntil(ms, () => this.#child !== child);
    child?.kill('SIGCONT');
  }

  /** Stops the bot as an operator would; resolves to its exit code. */
  async stop(): Promise<number | null> {
    this.#isExitExpected = true;
    const child = this.#child;
    child?.kill('SIGTERM');
    const hasStopped = await waitUntil(STOP_WAIT_LIMIT_MS, () => this.#child !== child || child === undefined);
    if (!hasStopped) child?.kill('SIGKILL');
    return this.#exitPromise;
  }

  /** Ends the bot for good, regardless of other pending steps: it is not started again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isExitExpected = true;
    this.#child?.kill('SIGKILL');
    await this.#exitPromise;
  }
}
