import { customIds } from '../../discord/custom-ids.ts';
import type { Menu } from '../../discord/handlers.ts';
import type { FormPlan, MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm } from '../../messages/pressed-task.ts';
import { MAX_REPORT_TEXT_LENGTH, type ReportReason, reportReasons } from '../../services/reports/report.ts';
import { type Context, on, type Services } from '../services.ts';
import { assertReportable, findReportedTask } from './report-target.ts';

/** The server and the channel where its moderators read reports. */
function reportChannelOf({ place, services }: Context): { guildId: string; channelId: string } {
  const { guildId, install } = place;
  if (guildId === undefined || install !== 'guild') throw new Refusal('refusals.reports.noServer');
  const channelId = services.rules.get(guildId).logChannelId ?? services.budgets.get(guildId).alertsChannelId;
  if (channelId === undefined) throw new Refusal('refusals.reports.noLog');
  return { guildId, channelId };
}

/** Reports a result of the bot to the moderators of the server. */
export const reportMenu: Menu<Services> = {
  name: 'report',
  async open(target, context) {
    const { place, services, say } = context;
    const { guildId } = reportChannelOf(context);
    const task = await loadForForm(findReportedTask(target, context), context);
    assertReportable(task, target.id, place);
    services.reports.mustAllow({ guildId, taskId: task.id, reporterId: place.userId });
    return formFor({ taskId: task.id, messageId: target.id }, say);
  },
};

const formFor = (reported: { taskId: string; messageId: string }, say: Say): FormPlan => ({
  id: customIds.reportFilled.id(reported),
  title: say('reports.form.title'),
  fields: [
    {
      name: 'reason',
      type: 'choice',
      required: true,
      label: say('reports.form.reason'),
      options: reportReasons.map((value) => ({ value, label: say(`reports.reasons.${value}`) })),
    },
    {
      name: 'words',
      type: 'text',
      isLong: true,
      max: MAX_REPORT_TEXT_LENGTH,
      label: say('reports.form.words'),
      hint: say('reports.form.wordsHint'),
    },
  ],
});

export const reportForm = on(customIds.reportFilled, {
  reply: 'new-private',
  isPrivate: () => true,
  reopen: async (reported, { say }) => formFor(reported, say),
  parse({ fields }): { reason: ReportReason; words: string | undefined } | Refusal {
    const reason = reportReasons.find((one) => one === fields.reason);
    const words = fields.words?.trim().slice(0, MAX_REPORT_TEXT_LENGTH);
    // A form can be forged.
    return reason === undefined ? new Refusal('refusals.unknownButton') : { reason, words: words || undefined };
  },
  async run({ taskId, messageId }, context, { reason, words }): Promise<MessagePlan> {
    const { place, services, say } = context;
    const { guildId, channelId } = reportChannelOf(context);
    const task = await services.tasks.book.get(taskId);
    if (!task) throw new Refusal('refusals.unknownTask');
    assertReportable(task, messageId, place);
    const { id } = await services.reports.add({
      ...{ guildId, channelId, taskId, reason, words },
      requesterId: task.requesterId,
      reporterId: place.userId,
      message: { channelId: place.channelId ?? '', id: messageId },
    });
    const outcome = await services.reportDelivery.announce(id);
    if (outcome === 'refused') throw new Refusal('refusals.reports.notPosted');
    return { content: say(`reports.${outcome}`) };
  },
});
