import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import { nodeArguments, root } from './bot-script.ts';
import { parseLogLine } from './log-line.ts';
import type { BotState, LogLine } from './protocol.ts';

/** The bot's own shutdown limit is ten seconds. */
const STOP_LIMIT_MS = 12_000;
/** Long enough for the outage to be noticed, and similar to the delay of a process supervisor. */
const RESTART_AFTER_MS = 3_000;
const MAX_LOG_LINES = 200;

export interface BotOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** Modules that are loaded before the bot. */
  readonly preloaded?: readonly string[];
}

/** The real bot as a child process. It restarts once after a kill, but not after a crash, to avoid a restart loop. */
export class BotProcess extends EventEmitter<{ state: [BotState]; line: [LogLine] }> {
  readonly log: LogLine[] = [];
  readonly #options: BotOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();
  #state: BotState;
  #startedAt = 0;
  #isClosed = false;
  #cancelRestart: () => void = () => undefined;

  constructor(options: BotOptions) {
    super();
    this.#options = options;
    process.once('exit', this.#killAtExit);
    this.#state = { state: 'stopped', starts: 0, since: options.clock.now() };
  }

  get state(): BotState {
    return this.#state;
  }

  /** Returns false if the bot is already running. */
  start(): boolean {
    if (this.#child || this.#isClosed) return false;
    this.#cancelRestart();
    const { settings, clock, preloaded } = this.#options;
    const child = spawn(process.execPath, nodeArguments('src/index.ts', preloaded), {
      cwd: root,
      env: { ...settings },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C signals the terminal's whole process group, but the embedded Discord must outlive the bot.
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
    this.#exit = closed.promise;
    for (const stream of [child.stdout, child.stderr]) this.#readLines(stream);
    child.once('error', (error) => {
      this.#addLine({ at: clock.now(), level: 'error', text: error.message });
      if (child.pid === undefined) child.emit('close', null);
    });
    child.once('close', (code: number | null) => {
      this.#child = undefined;
      this.#onExit(code);
      closed.resolve();
    });
    return true;
  }

  /** Called when the bot connects to Discord. */
  markConnected(): void {
    if (this.#state.state !== 'starting') return;
    const { clock } = this.#options;
    this.#set({ ...this.#state, state: 'running', readyMs: clock.now() - this.#startedAt });
  }

  /** Stops the bot; kills it if it has not exited within the limit. */
  async stop(limitMs = STOP_LIMIT_MS): Promise<boolean> {
    this.#cancelRestart();
    const child = this.#child;
    if (!child) {
      const isRestarting = this.#state.state === 'killed';
      if (isRestarting) this.#set({ state: 'stopped', starts: this.#state.starts });
      return isRestarting;
    }
    this.#set({ ...this.#state, state: 'stopping' });
    child.kill('SIGTERM');
    const cancelKill = this.#options.clock.after(limitMs, () => child.kill('SIGKILL'));
    await this.#exit;
    cancelKill();
    return true;
  }

  /** Kills the bot abruptly, as a power failure would. It restarts by itself unless it is started or stopped first. */
  async kill(): Promise<boolean> {
    const child = this.#child;
    if (!child || this.#state.state === 'stopping') return false;
    this.#set({ ...this.#state, state: 'killed' });
    child.kill('SIGKILL');
    await this.#exit;
    return true;
  }

  async close(limitMs: number): Promise<void> {
    this.#isClosed = true;
    await this.stop(limitMs);
    process.off('exit', this.#killAtExit);
  }

  /** The bot must not outlive this process. */
  readonly #killAtExit = (): void => {
    this.#child?.kill('SIGKILL');
  };

  #onExit(code: number | null): void {
    const exit = code === null ? {} : { exitCode: code };
    const { state, starts } = this.#state;
    if (state === 'killed') {
      this.#set({ state, starts });
      if (!this.#isClosed) this.#cancelRestart = this.#options.clock.after(RESTART_AFTER_MS, () => void this.start());
    } else {
      this.#set({ state: state === 'stopping' ? 'stopped' : 'crashed', starts, ...exit });
    }
  }

  #set(state: Omit<BotState, 'since'>): void {
    this.#state = { ...state, since: this.#options.clock.now() };
    this.emit('state', this.#state);
  }

  #readLines(stream: Readable | null): void {
    if (!stream) return;
    const { clock, secrets } = this.#options;
    const level = stream === this.#child?.stderr ? 'error' : 'info';
    createInterface({ input: stream }).on('line', (text) => {
      if (text.trim() !== '') this.#addLine(parseLogLine(text, { at: clock.now(), level, secrets }));
    });
  }

  #addLine(line: LogLine): void {
    this.log.push(line);
    if (this.log.length > MAX_LOG_LINES) this.log.shift();
    this.emit('line', line);
  }
}
