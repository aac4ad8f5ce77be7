import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { repeat } from '../../lib/repeat.ts';
import type { Reports } from '../reports/reports.ts';
import type { ServerLogs } from './server-log.ts';

/** Often enough, because retention periods are in days. */
const SWEEP_INTERVAL_MS = 10 * 60_000;

interface Swept {
  serverLogs: ServerLogs;
  reports: Reports;
}

/** Deletes old messages in log channels and old reports, now and then regularly. The returned function ends this. */
export const startLogSweep = ({ serverLogs, reports }: Swept, clock: Clock, log: PlainLog): (() => Promise<void>) =>
  repeat(clock, async () => {
    try {
      await reports.sweep();
      await serverLogs.sweep();
    } catch (error) {
      log.warn({ err: error }, 'Could not delete expired log messages and reports.');
    }
    return SWEEP_INTERVAL_MS;
  });
