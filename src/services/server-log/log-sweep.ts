import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Reports } from '../reports/reports.ts';
import type { ServerLogs } from './server-log.ts';

/** Often enough, because retention periods are in days. */
const SWEEP_INTERVAL_MS = 10 * 60_000;

interface LogSweepParts {
  serverLogs: Pick<ServerLogs, 'sweep'>;
  reports: Pick<Reports, 'sweep'>;
  clock: Clock;
  log: Pick<PlainLog, 'warn'>;
}

/** Regularly deletes old messages in log channels and old reports, starting as soon as the bot has started. */
export class LogSweep {
  readonly #parts: LogSweepParts;
  #cancel: (() => void) | undefined;
  #currentSweep: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: LogSweepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#currentSweep = this.#sweep().then(() => {
      if (!this.#isStopped) this.#cancel = this.#parts.clock.after(SWEEP_INTERVAL_MS, () => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#currentSweep;
  }

  async #sweep(): Promise<void> {
    const { serverLogs, reports, log } = this.#parts;
    try {
      await reports.sweep();
      await serverLogs.sweep();
    } catch (error) {
      log.warn({ err: error }, 'Could not delete expired log messages and reports.');
    }
  }
}
