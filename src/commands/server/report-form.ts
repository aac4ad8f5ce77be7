import { customIds } from '../../discord/custom-ids.ts';
import type { Menu } from '../../discord/handlers.ts';
import type { InteractionFacts } from '../../discord/interaction-facts.ts';
import { choiceField, type FormPlan, type FormValues, type MessagePlan } from '../../discord/plan.ts';
import type { TargetMessage } from '../../discord/target-message.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm } from '../../messages/pressed-task.ts';
import type { Preset } from '../../services/orders/preset.ts';
import { MAX_REPORT_TEXT_LENGTH, type ReportReason, reportReasons } from '../../services/safety/report.ts';
import type { NewReport } from '../../services/safety/reports.ts';
import { hasEnded, isClosed, type Task } from '../../services/tasks/task.ts';
import { type Context, on, type Services } from '../feature.ts';
import { presetPlace } from '../presets.ts';
import { findShownTask, isShownIn } from '../shown-task.ts';

function reportChannelOf({ facts, services }: Context): { guildId: string; channelId: string } {
  const { guildId, install } = facts;
  if (guildId === undefined || install !== 'guild') throw new Refusal('refusals.reports.noServer');
  const channelId =
    services.safety.rules.get(guildId).logChannelId ?? services.money.budgets.get(guildId).alertsChannelId;
  if (channelId === undefined) throw new Refusal('refusals.reports.noLog');
  return { guildId, channelId };
}

export const reportMenu: Menu<Services> = {
  name: 'report',
  async open(target, context) {
    const { facts, services, say } = context;
    const { guildId } = reportChannelOf(context);
    const task = await loadForForm(findReportedTask(target, context), context);
    assertReportable(task, target.id, facts);
    services.safety.reports.mustAllow({ guildId, taskId: task.id, reporterId: facts.userId });
    return reasonForm(
      customIds.reportFilled.id({ taskId: task.id, messageId: target.id }),
      say('reports.form.title'),
      say,
    );
  },
};

const reasonForm = (id: string, title: string, say: Say): FormPlan => ({
  id,
  title,
  fields: [
    choiceField('reason', say('reports.form.reason'), reportReasons, (value) => say(`reports.reasons.${value}`)),
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
  reopen: async (reported, { say }) => reasonForm(customIds.reportFilled.id(reported), say('reports.form.title'), say),
  parse: parseReport,
  async run({ taskId, messageId }, context, given): Promise<MessagePlan> {
    const { facts, services } = context;
    const task = await services.tasks.book.get(taskId);
    if (!task) throw new Refusal('refusals.unknownTask');
    assertReportable(task, messageId, facts);
    // No moderator can open a private message.
    const isOpenable = !task.route.isPrivate || isShownBeside(task, messageId);
    const message = isOpenable ? { channelId: facts.channelId ?? '', id: messageId } : undefined;
    return announce({ ...given, taskId, message, requesterId: task.requesterId }, context);
  },
});

function parseReport({ fields }: FormValues): { reason: ReportReason; words: string | undefined } | Refusal {
  const reason = reportReasons.find((one) => one === fields.reason);
  const words = fields.words?.trim().slice(0, MAX_REPORT_TEXT_LENGTH);
  // A form can be forged.
  return reason === undefined ? new Refusal('refusals.unknownButton') : { reason, words: words || undefined };
}

async function announce(report: Omit<NewReport, 'guildId' | 'channelId' | 'reporterId'>, context: Context) {
  const { facts, services, say, messageFor } = context;
  // There is nothing to correct after these, so they are replies: a refusal would offer the form again.
  const plainly = (refusal: Refusal): MessagePlan => ({ content: messageFor(refusal, say) });
  let id: string;
  try {
    const place = reportChannelOf(context);
    ({ id } = await services.safety.reports.add({ ...report, ...place, reporterId: facts.userId }));
  } catch (error) {
    if (error instanceof Refusal && error.key === 'refusals.reports.twice') return plainly(error);
    throw error;
  }
  const outcome = await services.reportDelivery.announce(id);
  if (outcome === 'refused') return plainly(new Refusal('refusals.reports.notPosted'));
  return { content: say(`reports.${outcome}`) };
}

/** Ids can be forged: a preset can be reported only by those who can use it. */
async function sharedPreset(id: string, context: Context): Promise<Preset & { memberId: string }> {
  const preset = await context.services.tasks.presets.find(id, presetPlace(context));
  if (preset.guildId === undefined || preset.memberId === undefined) throw new Refusal('refusals.unknownButton');
  return { ...preset, memberId: preset.memberId };
}

async function openPresetForm(id: string, context: Context): Promise<FormPlan> {
  const { facts, services, say } = context;
  const { guildId } = reportChannelOf(context);
  await loadForForm(sharedPreset(id, context), context);
  services.safety.reports.mustAllow({ guildId, taskId: id, reporterId: facts.userId });
  return reasonForm(customIds.presetReportFilled.id(id), say('reports.form.presetTitle'), say);
}

export const presetReports = [
  on(customIds.presetReport, { open: openPresetForm }),
  on(customIds.presetReportFilled, {
    reply: 'new-private',
    isPrivate: () => true,
    reopen: openPresetForm,
    parse: parseReport,
    async run(id, context, given) {
      const { memberId: requesterId } = await sharedPreset(id, context);
      return announce({ ...given, taskId: id, isPreset: true, requesterId }, context);
    },
  }),
];

/** A private message of `/tasks` can show a task of another server, which these moderators must not read. */
async function findReportedTask(target: TargetMessage, context: Context): Promise<Task> {
  const task = await findShownTask(target, context);
  if (!task || (target.isPrivate && task.guildId !== context.facts.guildId))
    throw new Refusal('refusals.reports.noResult');
  return task;
}

const isShownBeside = ({ beside = [] }: Task, messageId: string): boolean => beside.some(({ id }) => id === messageId);

/** Ids can be forged: members cannot report what they cannot have seen, and a task that is still running can be cancelled instead. */
function assertReportable(task: Task, messageId: string, { userId }: InteractionFacts): void {
  const isShownToOthers = task.route.isPrivate
    ? isShownBeside(task, messageId)
    : !isClosed(task) || isShownIn(task, messageId);
  if (task.requesterId !== userId && !isShownToOthers) throw new Refusal('refusals.reports.noResult');
  if (task.review?.outcome === 'deleted') throw new Refusal('refusals.reports.noResult');
  if (!hasEnded(task)) throw new Refusal('refusals.reports.running');
}
