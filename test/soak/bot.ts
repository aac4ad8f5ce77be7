import { once } from 'node:events';
import { messageFrom } from '../../bench/discord/child.ts';
import { nodeArguments, probeArguments } from '../../bench/harness/bot.ts';
import type { ProbeCalls } from '../../bench/harness/probe.ts';
import { launch, Remote, stop } from '../../bench/harness/program.ts';

/** On a busy machine, a start takes minutes. */
const START_WAIT_LIMIT_MS = 180_000;

/** The bot in a process of its own, which is replaced after each restart, by the clock of the embedded servers. */
export class SoakBot {
  /** How many processes there have been. */
  starts = 0;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #clockArguments: readonly string[];
  #remote: Remote<ProbeCalls> | undefined;

  constructor(settings: Readonly<Record<string, string>>, clock: { clockSpeed: number; clockOrigin: number }) {
    this.#settings = settings;
    this.#clockArguments = [JSON.stringify(clock)];
  }

  /** The current process. Throws if it has exited on its own. */
  get process(): Remote<ProbeCalls> {
    const remote = this.#remote;
    if (!remote || remote.child.exitCode !== null || remote.child.signalCode !== null)
      throw new Error('The bot has exited. Its last words are above.');
    return remote;
  }

  async start(): Promise<void> {
    const child = launch(new URL('../../bench/tasks/quick-bot.ts', import.meta.url), {
      environment: this.#settings,
      programArguments: this.#clockArguments,
      nodeOptions: [...nodeArguments, ...probeArguments, '--disable-warning=ExperimentalWarning'],
    });
    this.starts += 1;
    await messageFrom(child, START_WAIT_LIMIT_MS);
    this.#remote = new Remote(child);
  }

  async kill(): Promise<void> {
    const { child } = this.process;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async close(): Promise<void> {
    if (this.#remote) await stop(this.#remote.child);
  }
}
