import { Attempts, RetryLater, withStore } from '../../discord/delivery/backoff.ts';
import { bodyOf } from '../../discord/message-body.ts';
import { findByButtonId } from '../../discord/outbox/adoption.ts';
import type { FailureKind } from '../../discord/outbox/errors.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { withTimeout } from '../../lib/clock.ts';
import { expecting } from '../../lib/expecting.ts';
import { Refusal } from '../../lib/refusal.ts';
import { thumbnailFileOf } from '../../messages/review/images.ts';
import { withBlock } from '../../services/money/budget-changes.ts';
import { withoutExpired } from '../../services/money/server-budget.ts';
import { withRelease } from '../../services/orders/member-files.ts';
import {
  type Report,
  type ReportStep,
  withMessage,
  withOtherDecision,
  withoutDueStep,
} from '../../services/safety/report.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { titleOf } from '../../services/tasks/task-facts.ts';
import type { CommandSources } from '../command-sources.ts';
import { removeResult } from './remove-result.ts';
import { reportMessage } from './report-message.ts';

/** How long a member waits for the confirmation that their report was posted. */
const CONFIRMATION_WAIT_MS = 20_000;
/** The largest expected difference between Discord's clock and ours. */
const SKEW_MS = 60_000;

const NOT_SHOWN = 'A report could not be shown in the log channel of a server.';

/** Carries out the steps that are due for reports: posts them, and applies what moderators decided. Each step is stored first and can be repeated. */
export class ReportDelivery {
  readonly #parts: CommandSources;
  readonly #running = new Map<string, Promise<void>>();
  /** Reports whose member is still waiting for a confirmation. */
  readonly #awaitingConfirmation = new Set<string>();
  readonly #shutdown = new AbortController();

  constructor(parts: CommandSources) {
    this.#parts = parts;
    parts.safety.reports.onDue((id) => void this.process(id));
  }

  /** Continues the steps that were due when the bot last stopped. */
  resume(): void {
    for (const id of this.#parts.safety.reports.due()) void this.process(id);
  }

  /** Finishes the running steps; the others are done after the next start. */
  async finish(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all(this.#running.values());
  }

  /** Posts a new report. `later`: Discord does not accept it right now, and it is posted as soon as Discord does. */
  async announce(id: string): Promise<'posted' | 'refused' | 'later'> {
    const { clock } = this.#parts;
    this.#awaitingConfirmation.add(id);
    try {
      await withTimeout(clock, CONFIRMATION_WAIT_MS, this.process(id));
      const current = this.#parts.safety.reports.get(id);
      if (!current) return 'refused';
      return current.messageId === undefined ? 'later' : 'posted';
    } finally {
      this.#awaitingConfirmation.delete(id);
    }
  }

  /** Carries out all steps that are due for a report; retries in the background. */
  process(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const attempts = new Attempts({ id, ...this.#parts, stopping: this.#shutdown.signal });
    const processing = attempts
      .retryUntilDone(() => this.#processSteps(id, attempts), 'A report could not be processed.')
      .finally(() => {
        this.#running.delete(id);
        // A step may have become due after the last check.
        if (!this.#shutdown.signal.aborted && this.#parts.safety.reports.get(id)?.due.length) void this.process(id);
      });
    this.#running.set(id, processing);
    return processing;
  }

  async #processSteps(id: string, attempts: Attempts): Promise<void> {
    for (;;) {
      const report = this.#parts.safety.reports.get(id);
      const [step] = report?.due ?? [];
      if (!report || step === undefined) return;
      await this.#runStep(step, report, attempts);
    }
  }

  async #runStep(step: ReportStep, report: Report, attempts: Attempts): Promise<void> {
    switch (step) {
      case 'erase':
        return this.#erase(report, attempts);
      case 'post':
        return this.#post(report, attempts);
      case 'remove':
        await this.#remove(report);
        await this.#decideOthers(report);
        break;
      case 'block':
        await this.#block(report);
        break;
      case 'edit':
        return this.#edit(report, attempts);
    }
    await this.#change(report.id, (current) => withoutDueStep(current, step));
  }

  /** Searches for the message first and posts it with a nonce, so it appears only once. */
  async #post(report: Report, attempts: Attempts): Promise<void> {
    const { id, guildId } = report;
    const at = this.#parts.clock.now();
    const existing = await this.#find(report, attempts);
    // If the bot is not allowed to read there, it may still be allowed to post, and the nonce prevents a second message.
    const postedMessage = typeof existing === 'object' ? existing : await this.#postMessage(report, attempts);
    if (typeof postedMessage === 'string') return this.#giveUp(report);
    if (postedMessage === undefined)
      throw new RetryLater('unreachable', new Error('The response contains no message.'));
    await withStore(() => this.#parts.safety.serverLogs.record(guildId, { ...postedMessage, at, reportId: id }));
    await this.#change(id, (current) => withMessage(current, postedMessage.id));
  }

  async #postMessage(report: Report, attempts: Attempts): Promise<MessagePlace | FailureKind | undefined> {
    const { tasks } = this.#parts;
    const { outbox } = this.#parts.discord;
    const { id, channelId, taskId } = report;
    const plan = await this.#plan(report);
    const post = (files: MessagePlan['files'] = []) =>
      attempts.request('channel', NOT_SHOWN, () => outbox.post(channelId, `${id}-report`, bodyOf({ ...plan, files })));
    const task = await withStore(() => tasks.book.get(taskId));
    if (!task) return post();
    const thumbnail = await thumbnailFileOf(task, { ...this.#parts, marksResults: false });
    return withRelease(thumbnail, async () => {
      const posted = await post(thumbnail.files);
      // The bot may be allowed to post there, but not to attach files.
      return typeof posted === 'string' && thumbnail.files.length > 0 ? post() : posted;
    });
  }

  #find({ id, channelId, at }: Report, attempts: Attempts): Promise<MessagePlace | FailureKind | undefined> {
    const { clock } = this.#parts;
    const { clients, outbox } = this.#parts.discord;
    const applicationId = clients.identity.applicationId ?? '';
    const searchRange = { channelId, at, until: clock.now() + SKEW_MS };
    return attempts.request('channel', NOT_SHOWN, () => findByButtonId({ id, applicationId }, searchRange, outbox));
  }

  /** Removes a report whose channel is gone or closed to the bot, because no moderator can read it. Notifies its reporter. */
  async #giveUp({ id, reporterId }: Report): Promise<void> {
    const { reports } = this.#parts.safety;
    const { outbox, readers } = this.#parts.discord;
    if (reporterId !== undefined && !this.#awaitingConfirmation.has(id)) {
      const say = await readers.sayTo({ memberId: reporterId });
      const isNotified = await outbox.sendDirectMessage(reporterId, { content: say('reports.lost') });
      if (!isNotified) throw new RetryLater('unreachable', new Error('The member could not be notified.'));
    }
    await withStore(() => reports.remove(id));
  }

  async #edit(report: Report, attempts: Attempts): Promise<void> {
    const { id, channelId, messageId } = report;
    if (messageId !== undefined) {
      const plan = await this.#plan(report);
      const message = { channelId, id: messageId };
      const { body } = bodyOf(plan);
      // Without attachments, the message keeps its image.
      const { attachments: _, ...kept } = body;
      await attempts.request('channel', NOT_SHOWN, () =>
        this.#parts.discord.outbox.edit({ by: 'edit', message }, { body: plan.files ? body : kept, files: [] }),
      );
    }
    // If the report has changed in the meantime, another edit follows.
    await this.#change(id, (current) => (current === report ? withoutDueStep(current, 'edit') : current));
  }

  async #erase(report: Report, attempts: Attempts): Promise<void> {
    const { channelId, messageId } = report;
    const message = messageId === undefined ? await this.#find(report, attempts) : { channelId, id: messageId };
    if (typeof message === 'object' && (await this.#parts.discord.remover.removeMessage(message)) === 'later')
      throw new RetryLater('unreachable', new Error('The message of a report has not been deleted.'));
    await withStore(() => this.#parts.safety.reports.remove(report.id));
  }

  /** The preset may have been deleted in the meantime. */
  async #remove(report: Report): Promise<void> {
    if (!report.isPreset) return removeResult(report, this.#parts);
    const { guildId, requesterId: memberId = '', taskId: id } = report;
    await withStore(() => this.#parts.tasks.presets.remove({ guildId, memberId, id }));
  }

  /** Decides the other reports about a removed result in the same way, because nothing is left to decide. */
  async #decideOthers(report: Report): Promise<void> {
    const { decision } = report;
    if (!decision) return;
    for (const id of this.#parts.safety.reports.undecidedAbout(report)) {
      await this.#change(id, (current) => withOtherDecision(current, decision));
      void this.process(id);
    }
  }

  /** Blocks the member only once, however often the step is repeated. */
  async #block({ guildId, requesterId: memberId, block }: Report): Promise<void> {
    if (memberId === undefined || block === undefined) return;
    const { log } = this.#parts;
    const { budgets, spending } = this.#parts.money;
    const { at, until, by } = block;
    const hash = budgets.memberHash(guildId, memberId);
    const change = withStore(() =>
      budgets.change(guildId, (budget) =>
        budget.history.some((entry) => entry.what === 'block' && entry.on === hash && entry.at === at)
          ? budget
          : withBlock(withoutExpired(budget, spending.countingStart, at), { hash, memberId }, until, { by, at }),
      ),
    );
    const logRefusal = ({ key }: Refusal) => log.warn({ refusal: key }, 'A member could not be blocked.');
    await change.catch(expecting(Refusal, logRefusal));
  }

  async #plan(report: Report): Promise<MessagePlan> {
    const { safety, discord } = this.#parts;
    const say = await discord.readers.sayTo(report);
    return reportMessage(report, await this.#reportedIn(report), safety.reports.historyOf(report), say);
  }

  async #reportedIn({ guildId, requesterId: memberId = '', taskId: id, isPreset }: Report) {
    const { tasks, safety } = this.#parts;
    if (isPreset) return withStore(() => tasks.presets.get({ guildId, memberId, id }));
    const task = await withStore(() => tasks.book.get(id));
    return task && titleOf(safety.rules.maskTask(task, guildId));
  }

  #change(id: string, transition: (current: Report) => Report): Promise<Report | undefined> {
    return withStore(() => this.#parts.safety.reports.change(id, transition));
  }
}
