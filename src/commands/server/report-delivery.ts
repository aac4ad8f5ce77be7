import { bodyOf } from '../../discord/adapter.ts';
import { Backoff, RetryLater } from '../../discord/delivery/backoff.ts';
import { findByButtonId } from '../../discord/outbox/adoption.ts';
import { failureKindOf } from '../../discord/outbox/errors.ts';
import type { Outbox } from '../../discord/outbox/outbox.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { withTimeout } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { ResultParts } from '../../messages/results.ts';
import { thumbnailFileOf } from '../../messages/review/images.ts';
import { type Report, type ReportStep, withMessage, withoutDueStep } from '../../services/reports/report.ts';
import type { Reports } from '../../services/reports/reports.ts';
import type { Rules } from '../../services/rules/rules.ts';
import type { ServerLogs } from '../../services/server-log/server-log.ts';
import { withBlock } from '../../services/spending/budget-changes.ts';
import type { Budgets } from '../../services/spending/budgets.ts';
import { withoutExpired } from '../../services/spending/server-budget.ts';
import type { Spending } from '../../services/spending/spending.ts';
import type { MessagePlace, Task } from '../../services/tasks/task.ts';
import { reportMessage } from './report-message.ts';
import { ResultRemoval, type ResultRemovalParts } from './result-removal.ts';

/** How long a member waits for the confirmation that their report was posted. */
const CONFIRMATION_WAIT_MS = 20_000;
/** The largest expected difference between Discord's clock and ours. */
const SKEW_MS = 60_000;

interface ReportDeliveryParts extends ResultRemovalParts, Omit<ResultParts, 'tasks' | 'log'> {
  tasks: ResultRemovalParts['tasks'] & ResultParts['tasks'];
  reports: Reports;
  rules: Pick<Rules, 'maskTask'>;
  budgets: Pick<Budgets, 'change' | 'memberHash'>;
  spending: Pick<Spending, 'countingStart'>;
  serverLogs: Pick<ServerLogs, 'record'>;
  outbox: Pick<Outbox, 'post' | 'messagesBefore' | 'edit' | 'sendDirectMessage'>;
  applicationId(): string;
  say: Say;
  log: Log;
}

/** Carries out the steps that are due for reports: posts them, and applies what moderators decided. Each step is stored first and can be repeated. */
export class ReportDelivery {
  readonly #parts: ReportDeliveryParts;
  readonly #removal: ResultRemoval;
  readonly #running = new Map<string, Promise<void>>();
  /** Reports whose member is still waiting for a confirmation. */
  readonly #awaitingConfirmation = new Set<string>();
  readonly #shutdown = new AbortController();

  constructor(parts: ReportDeliveryParts) {
    this.#parts = parts;
    this.#removal = new ResultRemoval(parts);
    parts.reports.onDue((id) => void this.process(id));
  }

  /** Continues the steps that were due when the bot last stopped. */
  resume(): void {
    for (const id of this.#parts.reports.due()) void this.process(id);
  }

  /** Finishes the running steps; the others are done after the next start. */
  async finish(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all(this.#running.values());
  }

  /** Posts a new report. `later`: Discord does not accept it right now, and it is posted as soon as Discord does. */
  async announce(id: string): Promise<'posted' | 'refused' | 'later'> {
    const { reports, clock } = this.#parts;
    this.#awaitingConfirmation.add(id);
    try {
      await withTimeout(clock, CONFIRMATION_WAIT_MS, this.process(id));
      const current = reports.get(id);
      if (!current) return 'refused';
      return current.messageId === undefined ? 'later' : 'posted';
    } finally {
      this.#awaitingConfirmation.delete(id);
    }
  }

  /** Carries out all steps that are due for a report; retries in the background. */
  process(id: string): Promise<void> {
    const processing =
      this.#running.get(id) ??
      new Backoff({ id, ...this.#parts, stopping: this.#shutdown.signal })
        .retryUntilDone(() => this.#processSteps(id), 'A report could not be processed.')
        .finally(() => {
          this.#running.delete(id);
          // A step may have become due after the last check.
          if (!this.#shutdown.signal.aborted && this.#isDue(id)) void this.process(id);
        });
    this.#running.set(id, processing);
    return processing;
  }

  #isDue(id: string): boolean {
    return (this.#parts.reports.get(id)?.due.length ?? 0) > 0;
  }

  async #processSteps(id: string): Promise<void> {
    for (;;) {
      const report = this.#parts.reports.get(id);
      const [step] = report?.due ?? [];
      if (!report || step === undefined) return;
      await this.#runStep(step, report);
    }
  }

  async #runStep(step: ReportStep, report: Report): Promise<void> {
    switch (step) {
      case 'erase':
        return this.#erase(report);
      case 'post':
        return this.#post(report);
      case 'remove':
        await this.#removal.carryOut(report);
        break;
      case 'block':
        await this.#block(report);
        break;
      case 'edit':
        return this.#edit(report);
    }
    await this.#change(report.id, (current) => withoutDueStep(current, step));
  }

  /** Searches for the message first and posts it with a nonce, so it appears only once. */
  async #post(report: Report): Promise<void> {
    const { id, guildId } = report;
    const at = this.#parts.clock.now();
    const existing = await this.#find(report);
    const postedMessage = existing ?? (await this.#postMessage(report));
    if (postedMessage === 'refused') return this.#giveUp(report);
    if (postedMessage === undefined)
      throw new RetryLater('unreachable', new Error('The response contains no message.'));
    await this.#withStore(() => this.#parts.serverLogs.record(guildId, { ...postedMessage, at, reportId: id }));
    await this.#change(id, (current) => withMessage(current, postedMessage.id));
  }

  async #postMessage(report: Report): Promise<MessagePlace | 'refused' | undefined> {
    const plan = await this.#plan(report);
    const post = (files: MessagePlan['files'] = []) =>
      this.#request(() => this.#parts.outbox.post(report.channelId, `${report.id}-report`, bodyOf({ ...plan, files })));
    const task = await this.#withStore(() => this.#parts.tasks.book.get(report.taskId));
    if (!task) return post();
    const { files, release } = await thumbnailFileOf(task, this.#parts);
    try {
      const posted = await post(files);
      // The bot may be allowed to post there, but not to attach files.
      return posted === 'refused' && files.length > 0 ? await post() : posted;
    } finally {
      release();
    }
  }

  async #find({ id, channelId, at }: Report): Promise<MessagePlace | 'refused' | undefined> {
    const { outbox, clock, applicationId } = this.#parts;
    const searchRange = { channelId, at, until: clock.now() + SKEW_MS };
    const existing = await this.#request(() =>
      findByButtonId({ id, applicationId: applicationId() }, searchRange, outbox),
    );
    // If the bot is not allowed to read there, it may still be allowed to post, and the nonce prevents a second message.
    return existing === 'refused' ? undefined : existing;
  }

  /** Removes a report whose channel is gone or closed to the bot, because no moderator can read it. Notifies its reporter. */
  async #giveUp({ id, reporterId }: Report): Promise<void> {
    const { reports, outbox, say } = this.#parts;
    if (reporterId !== undefined && !this.#awaitingConfirmation.has(id)) {
      const isNotified = await outbox.sendDirectMessage(reporterId, { content: say('reports.lost') });
      if (!isNotified) throw new RetryLater('unreachable', new Error('The member could not be notified.'));
    }
    await this.#withStore(() => reports.remove(id));
  }

  async #edit(report: Report): Promise<void> {
    const { id, channelId, messageId } = report;
    if (messageId !== undefined) {
      const plan = await this.#plan(report);
      await this.#request(() =>
        this.#parts.outbox.edit({ by: 'edit', message: { channelId, id: messageId } }, bodyOf(plan)),
      );
    }
    // If the report has changed in the meantime, another edit follows.
    await this.#change(id, (current) => (current === report ? withoutDueStep(current, 'edit') : current));
  }

  async #erase(report: Report): Promise<void> {
    const { channelId, messageId } = report;
    const message = messageId === undefined ? await this.#find(report) : { channelId, id: messageId };
    if (typeof message === 'object' && (await this.#parts.removeMessage(message)) === 'later')
      throw new RetryLater('unreachable', new Error('The message of a report has not been deleted.'));
    await this.#withStore(() => this.#parts.reports.remove(report.id));
  }

  /** Blocks the member only once, however often the step is repeated. */
  async #block({ guildId, requesterId: memberId, block }: Report): Promise<void> {
    if (memberId === undefined || block === undefined) return;
    const { budgets, spending, log } = this.#parts;
    const { at, until, by } = block;
    const hash = budgets.memberHash(guildId, memberId);
    try {
      await budgets.change(guildId, (budget) =>
        budget.history.some((entry) => entry.what === 'block' && entry.on === hash && entry.at === at)
          ? budget
          : withBlock(withoutExpired(budget, spending.countingStart, at), { hash, memberId }, until, { by, at }),
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw new RetryLater('unstored', error);
      log.warn({ refusal: error.key }, 'A member could not be blocked.');
    }
  }

  async #plan(report: Report): Promise<MessagePlan> {
    const { reports, rules, tasks, say } = this.#parts;
    const task: Task | undefined = await this.#withStore(() => tasks.book.get(report.taskId));
    return reportMessage(
      { report, task: task && rules.maskTask(task, report.guildId), history: reports.historyOf(report) },
      say,
    );
  }

  /** `refused`: Discord does not let the bot use the channel. */
  async #request<T>(send: () => Promise<T>): Promise<T | 'refused'> {
    try {
      return await send();
    } catch (error) {
      if (failureKindOf(error, 'channel') === 'later') throw new RetryLater('unreachable', error);
      this.#parts.log.info({ err: error }, 'A report could not be shown in the log channel of a server.');
      return 'refused';
    }
  }

  #change(id: string, transition: (current: Report) => Report): Promise<Report | undefined> {
    return this.#withStore(() => this.#parts.reports.change(id, transition));
  }

  async #withStore<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new RetryLater('unstored', error);
    }
  }
}
