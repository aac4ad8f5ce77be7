import { type Report, report } from '../reports/report.ts';
import type { ReportStore } from '../reports/reports.ts';
import { type LogStore, serverLog } from '../server-log/server-log.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { rowKey } from './side-rows.ts';

export const reportRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(report));

/** Reports of results, one row per report. */
export const storedReports = (namespace: Namespace, quarantine: Quarantine): ReportStore => ({
  async all(): Promise<Report[]> {
    const { good, setAside } = await reportRows(namespace, quarantine).readAll();
    await setAside();
    return [...good.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  },
  put: (report) => namespace.put(rowKey(report.id), report),
  remove: (id) => namespace.delete(rowKey(id)),
});

export const serverLogRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(serverLog));

/** The messages in log channels, one row per server. */
export const storedServerLogs = (namespace: Namespace, quarantine: Quarantine): LogStore => ({
  get: (guildId) => serverLogRows(namespace, quarantine).get(rowKey(guildId)),
  async all() {
    const { good, setAside } = await serverLogRows(namespace, quarantine).readAll();
    await setAside();
    return [...good.values()];
  },
  put: (log) =>
    log.messages.length === 0 ? namespace.delete(rowKey(log.guildId)) : namespace.put(rowKey(log.guildId), log),
});
