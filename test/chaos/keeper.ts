import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { shipped } from '../support/shipped.ts';
import { within } from './waiting.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const START_WAIT_LIMIT_MS = 60_000;
const SCRIPT_WAIT_LIMIT_MS = 60_000;
/** The bot gives itself ten seconds. */
const STOP_WAIT_LIMIT_MS = 30_000;

export interface Ended {
  code: number | null;
  said: string;
}

interface Life {
  args?: readonly string[];
  /** How long it may live. */
  timeout?: number;
}

/** A shipped entry point as its own process, started as `npm start` does. */
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

/** The store is not its own any more: to be started again, as the README tells operators. */
const EX_TEMPFAIL = 75;

/** Keeps the one bot: starts it, kills it, and notices when it ends by itself. */
export class Keeper {
  readonly #settings: Record<string, string>;
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(null);
  #said = '';
  #isMeant = false;
  #isClosed = false;
  readonly kills: number[] = [];
  /** When each of its lives began. */
  readonly starts: number[] = [];
  /** From each start to its being there. */
  readonly startsMs: number[] = [];
  /** The exit codes with which it ended although no one had told it to. */
  readonly falls: (number | null)[] = [];
  /** How often it gave its store up, as a bot does that got no turn for longer than its lease. */
  losses = 0;

  constructor(settings: Record<string, string>) {
    this.#settings = settings;
    // Anyone who runs this may be ended from outside; nothing of it stays behind.
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Everything that all its lives have said. */
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
    const isHere = (): boolean => this.#said.includes('Atelier is ready.', before);
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
      // It ends at once, as if it had been killed.
      this.kills.push(Date.now());
      await this.start();
    }
  }

  /** As a power cut does it. */
  async kill(): Promise<void> {
    if (!this.#child) return;
    this.#isMeant = true;
    this.kills.push(Date.now());
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** As an operator does it; its exit code. */
  async stop(): Promise<number | null> {
    this.#isMeant = true;
    const child = this.#child;
    child?.kill('SIGTERM');
    const inTime = await within(STOP_WAIT_LIMIT_MS, () => this.#child !== child || child === undefined);
    if (!inTime) child?.kill('SIGKILL');
    return this.#ended;
  }

  /** Whatever else was to be done with it: it does not live on, nor again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isMeant = true;
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }
}
