import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import { lineOf } from './log-line.ts';
import type { BotState, LogLine } from './protocol.ts';
import { entry, root } from './shipped.ts';

/** The bot gives itself ten seconds. */
const STOP_PATIENCE_MS = 12_000;
/** Long enough to see that it is gone, and about what a supervisor takes. */
const COMES_BACK_AFTER_MS = 3_000;
const MOST_LINES = 200;

export interface BotOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly clock: Clock;
}

/** The real bot as a process of its own: started, stopped and killed by its pid, and never started again in a loop. */
export class BotProcess extends EventEmitter<{ state: [BotState]; line: [LogLine] }> {
  readonly log: LogLine[] = [];
  readonly #options: BotOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #state: BotState;
  #startedAt = 0;
  #isClosed = false;
  #takeBack: () => void = () => undefined;

  constructor(options: BotOptions) {
    super();
    this.#options = options;
    process.once('exit', this.#abandon);
    this.#state = { state: 'stopped', starts: 0, since: options.clock.now() };
  }

  get state(): BotState {
    return this.#state;
  }

  /** Whether it was started; false where it is running already. */
  start(): boolean {
    if (this.#child || this.#isClosed) return false;
    this.#takeBack();
    const { settings, clock } = this.#options;
    const child = spawn(process.execPath, entry('src/index.ts'), {
      cwd: root,
      env: { ...settings },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A Ctrl-C reaches every process of a terminal's group; this one is asked to stop while Discord is still there.
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    this.#startedAt = clock.now();
    this.#set({
      state: 'starting',
      starts: this.#state.starts + 1,
      ...(child.pid !== undefined && { pid: child.pid }),
    });
    const closed = Promise.withResolvers<void>();
    this.#ended = closed.promise;
    for (const stream of [child.stdout, child.stderr]) this.#listen(stream);
    child.once('error', (problem) => {
      this.#note({ at: clock.now(), level: 'error', text: problem.message });
      if (child.pid === undefined) child.emit('close', null);
    });
    child.once('close', (code: number | null) => {
      this.#child = undefined;
      this.#hasEnded(code);
      closed.resolve();
    });
    return true;
  }

  /** Discord has heard of it. */
  isHere(): void {
    if (this.#state.state !== 'starting') return;
    const { clock } = this.#options;
    this.#set({ ...this.#state, state: 'running', readyMs: clock.now() - this.#startedAt });
  }

  /** Asks it to stop, waits for it with a limit, and kills it after that. */
  async stop(patienceMs = STOP_PATIENCE_MS): Promise<boolean> {
    this.#takeBack();
    const child = this.#child;
    if (!child) {
      const isAwaited = this.#state.state === 'killed';
      if (isAwaited) this.#set({ state: 'stopped', starts: this.#state.starts });
      return isAwaited;
    }
    this.#set({ ...this.#state, state: 'stopping' });
    child.kill('SIGTERM');
    const late = this.#options.clock.after(patienceMs, () => child.kill('SIGKILL'));
    await this.#ended;
    late();
    return true;
  }

  /** As a power cut does it. It comes back by itself, unless somebody starts or stops it before. */
  async kill(): Promise<boolean> {
    const child = this.#child;
    if (!child || this.#state.state === 'stopping') return false;
    this.#set({ ...this.#state, state: 'killed' });
    child.kill('SIGKILL');
    await this.#ended;
    return true;
  }

  /** For good. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosed = true;
    await this.stop(patienceMs);
    process.off('exit', this.#abandon);
  }

  /** Whatever happens to this process, that one goes with it. */
  readonly #abandon = (): void => {
    this.#child?.kill('SIGKILL');
  };

  #hasEnded(code: number | null): void {
    const exit = code === null ? {} : { exitCode: code };
    const { state, starts } = this.#state;
    if (state === 'killed') {
      this.#set({ state, starts });
      if (!this.#isClosed) this.#takeBack = this.#options.clock.after(COMES_BACK_AFTER_MS, () => void this.start());
    } else {
      this.#set({ state: state === 'stopping' ? 'stopped' : 'crashed', starts, ...exit });
    }
  }

  #set(state: Omit<BotState, 'since'>): void {
    this.#state = { ...state, since: this.#options.clock.now() };
    this.emit('state', this.#state);
  }

  #listen(stream: Readable | null): void {
    if (!stream) return;
    const { clock, secrets } = this.#options;
    const level = stream === this.#child?.stderr ? 'error' : 'info';
    createInterface({ input: stream }).on('line', (text) => {
      if (text.trim() !== '') this.#note(lineOf(text, { at: clock.now(), level, secrets }));
    });
  }

  #note(line: LogLine): void {
    this.log.push(line);
    if (this.log.length > MOST_LINES) this.log.shift();
    this.emit('line', line);
  }
}
