import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../../support/kill-at-exit.ts';
import { cacheArgs } from '../../support/shipped.ts';
import { type Command, type CommandResult, TRY_AGAIN } from './order.ts';

const MAX_ATTEMPTS = 10;
const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** The bot in another process. If it is killed, its commands get no response. */
export class MoneyBot {
  readonly #settings: Record<string, string>;
  readonly #pending = new Map<number, (answer: CommandResult | undefined) => void>();
  #child: ChildProcess | undefined;
  #lastId = 0;
  #restarted: Promise<void> = Promise.resolve();
  /** The last lines of its log. */
  log = '';

  constructor(settings: Record<string, string>) {
    this.#settings = settings;
  }

  /** Starts it again, as a supervisor does, if its store cannot be reached at once, or if it loses it later. */
  async start(): Promise<void> {
    for (let attempts = 0; !(await this.#startOnce()); attempts++)
      if (attempts === MAX_ATTEMPTS) throw new Error(`The bot cannot start: ${this.log}`);
  }

  /** Resolves to false if the store could not be reached. */
  async #startOnce(): Promise<boolean> {
    const env = { PATH: process.env.PATH ?? '', ...this.#settings };
    const child = fork(WORKER, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [...cacheArgs] });
    killAtExit(child);
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => {
        this.log = (this.log + piece.toString()).slice(-20_000);
      });
    const started = Promise.withResolvers<boolean>();
    let isReady = false;
    child.on('message', (message: { ready?: true; id?: number; answer?: CommandResult }) => {
      if (message.ready) {
        isReady = true;
        started.resolve(true);
      } else if (message.id !== undefined) this.#answer(message.id, message.answer);
    });
    child.once('exit', (code) => {
      if (code === TRY_AGAIN && isReady) this.#restarted = this.start();
      else if (code === TRY_AGAIN) started.resolve(false);
      else started.reject(new Error(`The bot exited with ${code} while it started: ${this.log}`));
      for (const id of [...this.#pending.keys()]) this.#answer(id, undefined);
    });
    return started.promise;
  }

  /** Resolves to undefined if the bot is killed before it responds. */
  async send(command: Command): Promise<CommandResult | undefined> {
    await this.#restarted;
    const child = this.#child;
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<CommandResult | undefined>();
    this.#pending.set(id, answer.resolve);
    if (!child?.connected) this.#answer(id, undefined);
    else child.send({ id, command }, (error) => error && this.#answer(id, undefined));
    return answer.promise;
  }

  /** Kills the bot, as a power cut would. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.#restarted;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exitEvent = once(child, 'exit');
    child.kill(signal);
    await exitEvent;
  }

  #answer(id: number, answer: CommandResult | undefined): void {
    this.#pending.get(id)?.(answer);
    this.#pending.delete(id);
  }
}
