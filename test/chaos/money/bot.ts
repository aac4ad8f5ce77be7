import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answer, Command } from './order.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** The bot in another process. If it is killed, its commands get no response. */
export class MoneyBot {
  readonly #settings: Record<string, string>;
  readonly #pending = new Map<number, (answer: Answer | undefined) => void>();
  #child: ChildProcess | undefined;
  #lastId = 0;
  /** The last lines of its log. */
  log = '';

  constructor(settings: Record<string, string>) {
    this.#settings = settings;
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  async start(): Promise<void> {
    const env = { PATH: process.env.PATH ?? '', ...this.#settings };
    const child = fork(WORKER, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => {
        this.log = (this.log + piece.toString()).slice(-20_000);
      });
    const ready = Promise.withResolvers<void>();
    child.on('message', (message: { ready?: true; id?: number; answer?: Answer }) => {
      if (message.ready) ready.resolve();
      else if (message.id !== undefined) this.#answer(message.id, message.answer);
    });
    child.once('exit', (code) => {
      ready.reject(new Error(`The bot exited with ${code} while it started: ${this.log}`));
      for (const id of [...this.#pending.keys()]) this.#answer(id, undefined);
    });
    await ready.promise;
  }

  /** Undefined if it was killed before it responded. */
  send(command: Command): Promise<Answer | undefined> {
    const child = this.#child;
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Answer | undefined>();
    this.#pending.set(id, answer.resolve);
    if (!child?.connected) this.#answer(id, undefined);
    else child.send({ id, command }, (error) => error && this.#answer(id, undefined));
    return answer.promise;
  }

  /** Kills it, as a power cut would. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  #answer(id: number, answer: Answer | undefined): void {
    this.#pending.get(id)?.(answer);
    this.#pending.delete(id);
  }
}
