import { type Clock, DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import { bucketOf } from '../tasks/homes.ts';
import { createTaskId } from '../tasks/task-id.ts';
import { isUndecided, type Report, type ReportReason, reportWithoutMember } from './report.ts';

/** The most reports by one member per hour. Someone who sees more should contact a moderator directly. */
const MAX_PER_MEMBER = 5;
/** The most reports per hour in a server, because moderators read each one. */
const MAX_PER_SERVER = 30;
const MAX_UNDECIDED = 100;
/** The most reports of a server. Beyond this, the oldest decided ones are deleted. */
const MAX_REPORTS = 300;
/** How long a report is kept after the decision, for the history that moderators see with the next report. */
const RETENTION_MS = 90 * DAY_MS;
/** Undecided reports are kept as long as their tasks. */
const UNDECIDED_RETENTION_MS = 400 * DAY_MS;

export type ReportStore = StoredRows<Report, { id: string }>;

export interface NewReport extends Pick<Report, 'guildId' | 'taskId' | 'isPreset' | 'message' | 'words' | 'channelId'> {
  requesterId: string;
  reporterId: string;
  reason: ReportReason;
}

export interface ReportHistory {
  count: number;
  removed: number;
  dismissed: number;
  blocked: number;
  lastAt: number | undefined;
}

type ReportTarget = Pick<Report, 'guildId' | 'taskId'> & { reporterId: string };

/** Reports of results, kept in memory. A change is stored first. A listener is notified of what is due in Discord. */
export class Reports {
  readonly #store: ReportStore;
  readonly #hashOf: (name: string) => string;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #reports = new Map<string, Report>();
  readonly #lock = new KeyedLock();
  #onDue: ((id: string) => void) | undefined;

  constructor(store: ReportStore, hashOf: (name: string) => string, clock: Clock) {
    this.#store = store;
    this.#hashOf = hashOf;
    this.#clock = clock;
  }

  async open(): Promise<void> {
    for (const report of await this.#store.all()) this.#reports.set(report.id, report);
  }

  /** Calls the listener with every report for which a step becomes due for any other reason than a command about the report. */
  onDue(listener: (id: string) => void): void {
    this.#onDue = listener;
  }

  get(id: string): Report | undefined {
    return this.#reports.get(id);
  }

  due(): string[] {
    return [...this.#reports.values()].filter(({ due }) => due.length > 0).map(({ id }) => id);
  }

  /** Throws if this member cannot report this result right now. */
  mustAllow({ guildId, taskId, reporterId }: ReportTarget): void {
    const all = this.#reportsOf(guildId);
    const hash = this.#hashIn(guildId, `${reporterId} ${taskId}`);
    if (all.some((one) => one.hash === hash)) throw new Refusal('refusals.reports.twice');
    const since = this.#clock.now() - HOUR_MS;
    const recent = all.filter(({ at }) => at > since);
    const reporterHash = this.#hashIn(guildId, reporterId);
    if (recent.filter((one) => one.reporterHash === reporterHash).length >= MAX_PER_MEMBER)
      throw new Refusal('refusals.reports.tooMany');
    if (recent.length >= MAX_PER_SERVER) throw new Refusal('refusals.reports.tooManyHere');
    if (all.filter(isUndecided).length >= MAX_UNDECIDED) throw new Refusal('refusals.reports.tooManyOpen');
  }

  /** Stores a report, which is then due to be posted. */
  add(newReport: NewReport): Promise<Report> {
    const { guildId, reporterId, taskId: reportedTaskId } = newReport;
    return this.#lock.run(guildId, async () => {
      this.mustAllow(newReport);
      const at = this.#clock.now();
      const hash = this.#hashIn(guildId, `${reporterId} ${reportedTaskId}`);
      const reporterHash = this.#hashIn(guildId, reporterId);
      const report: Report = {
        ...newReport,
        id: createTaskId(at, bucketOf(guildId)),
        hash,
        reporterHash,
        at,
        due: ['post'],
      };
      await this.#put(report);
      await this.#deleteOldest(guildId);
      return report;
    });
  }

  /** Undefined if the report no longer exists. */
  async change(id: string, transition: (known: Report) => Report): Promise<Report | undefined> {
    const guildId = this.#reports.get(id)?.guildId;
    if (guildId === undefined) return undefined;
    return this.#lock.run(guildId, async () => {
      const previous = this.#reports.get(id);
      if (!previous) return undefined;
      const updated = transition(previous);
      if (updated !== previous) await this.#put(updated);
      return updated;
    });
  }

  async remove(id: string): Promise<void> {
    const guildId = this.#reports.get(id)?.guildId;
    if (guildId !== undefined) await this.#lock.run(guildId, () => this.#remove(id));
  }

  undecidedAbout({ guildId, taskId }: Report): string[] {
    const reports = this.#reportsOf(guildId).filter((one) => one.taskId === taskId && isUndecided(one));
    return reports.map(({ id }) => id);
  }

  historyOf({ guildId, requesterId, id }: Report): ReportHistory {
    const earlierReports = this.#reportsOf(guildId).filter(
      (one) => requesterId !== undefined && one.requesterId === requesterId && one.id < id,
    );
    const count = (matches: (one: Report) => boolean): number => earlierReports.filter(matches).length;
    return {
      count: earlierReports.length,
      // Several reports can be about one removed result.
      removed: new Set(earlierReports.filter(isRemoved).map(({ taskId }) => taskId)).size,
      dismissed: count(({ decision }) => decision?.what === 'dismissed'),
      blocked: count(({ block }) => block !== undefined),
      lastAt: earlierReports.at(-1)?.at,
    };
  }

  /** Whether no moderator has decided yet, so the message must be kept. */
  isUndecided(id: string): boolean {
    const existing = this.#reports.get(id);
    return existing !== undefined && isUndecided(existing);
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now();
    for (const { id, at, due, decision } of [...this.#reports.values()]) {
      const until = decision ? decision.at + RETENTION_MS : at + UNDECIDED_RETENTION_MS;
      if (due.length === 0 && until < now) await this.remove(id);
    }
  }

  /** Reports about a member are deleted with their messages; reports that the member made or decided lose the member's id. */
  async erase(memberId: string): Promise<void> {
    for (const { id } of [...this.#reports.values()]) {
      const previous = this.#reports.get(id);
      const updated = await this.change(id, (known) => reportWithoutMember(known, memberId));
      if (updated !== previous) this.#onDue?.(id);
    }
  }

  #reportsOf(guildId: string): Report[] {
    return [...this.#reports.values()].filter((one) => one.guildId === guildId);
  }

  #hashIn(guildId: string, name: string): string {
    return this.#hashOf(`report ${guildId} ${name}`);
  }

  async #put(report: Report): Promise<void> {
    await this.#store.put(report);
    this.#reports.set(report.id, report);
  }

  async #remove(id: string): Promise<void> {
    const report = this.#reports.get(id);
    if (!report) return;
    await this.#store.remove(report);
    this.#reports.delete(id);
  }

  async #deleteOldest(guildId: string): Promise<void> {
    const all = this.#reportsOf(guildId);
    const decided = all.filter(({ decision, due }) => decision !== undefined && due.length === 0);
    for (const { id } of decided.slice(0, Math.max(0, all.length - MAX_REPORTS))) await this.#remove(id);
  }
}

/** The reports that a member made, and their decisions as a moderator. Reports about them are left out, because they contain data of others. */
export const reportsAbout = (memberId: string, reports: readonly Report[]): object[] =>
  reports.flatMap(({ guildId, taskId, reporterId, reason, words, at, decision, block }): object[] => {
    if (reporterId === memberId) return [{ guildId, taskId, reason, words, at }];
    const ownDecisions = [decision, block].filter((one) => one?.by === memberId);
    return ownDecisions.length === 0 ? [] : [{ guildId, decided: ownDecisions }];
  });

const isRemoved = ({ decision }: Report): boolean => decision?.what === 'removed';
