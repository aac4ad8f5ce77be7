import { DAY_MS } from '../../lib/clock.ts';
import { causeOf, type NoticeStore, noticeRow } from '../notices/notice.ts';
import { type RunStore, runRow } from '../notices/runs.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { rowKey } from './side-rows.ts';

/** If the cause of a notice persists for longer than this, the bot reports it again. */
const NOTICE_TTL_MS = 30 * DAY_MS;

export const noticeRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(noticeRow));

export const runRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(runRow));

/** An unreadable row is set aside, and its cause is reported again. */
export const storedNotices = (namespace: Namespace, quarantine: Quarantine): NoticeStore => ({
  async all() {
    const { good, setAside } = await noticeRows(namespace, quarantine).readAll();
    await setAside();
    return [...good.values()];
  },
  put: (notice) => namespace.put(rowKey(causeOf(notice)), notice, NOTICE_TTL_MS),
  remove: (notice) => namespace.delete(rowKey(causeOf(notice))),
});

export const storedRuns = (namespace: Namespace, quarantine: Quarantine): RunStore => ({
  async all() {
    const { good, setAside } = await runRows(namespace, quarantine).readAll();
    await setAside();
    return [...good.values()];
  },
  put: (run) => namespace.put(rowKey(String(run.at)), run),
  remove: (run) => namespace.delete(rowKey(String(run.at))),
});
