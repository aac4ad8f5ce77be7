import { z } from 'zod';
import { Refusal } from '../../lib/refusal.ts';

export const reportReasons = ['harmful', 'sexual', 'violence', 'hate', 'person', 'rights', 'spam', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

export const MAX_REPORT_TEXT_LENGTH = 500;

const id = z.string().regex(/^\d{1,20}$/);
const messageReference = z.object({ channelId: id, id });

/** `by` is undefined once the moderator's data has been erased. */
const decisionFields = z.object({ by: id.optional(), at: z.number() });

/** The steps that may still have to be done, in this order. `erase`: the message is deleted and then the report; no other step is done. */
const reportSteps = ['erase', 'post', 'remove', 'block', 'edit'] as const;
export type ReportStep = (typeof reportSteps)[number];

/** A member's report of a result or a preset to the moderators of a server. The result itself is read from the task, and not stored again. */
export const report = z.object({
  id: z.string(),
  guildId: id,
  /** With `isPreset`, the id of a shared preset instead. */
  taskId: z.string(),
  isPreset: z.literal(true).optional(),
  /** Undefined once the member's data has been erased. */
  requesterId: id.optional(),
  reporterId: id.optional(),
  /** A hash of the reporting member and the task, so that a second report is refused even after an erasure. */
  hash: z.string(),
  reporterHash: z.string(),
  /** The message that was reported. A preset has none, nor a result that only its owner sees. */
  message: messageReference.optional(),
  reason: z.enum(reportReasons),
  words: z.string().max(MAX_REPORT_TEXT_LENGTH).optional(),
  at: z.number(),
  /** The channel where moderators read the report, and its message there once it has been posted. */
  channelId: id,
  messageId: id.optional(),
  decision: decisionFields.extend({ what: z.enum(['removed', 'dismissed']) }).optional(),
  block: decisionFields.extend({ until: z.number().optional() }).optional(),
  due: z.array(z.enum(reportSteps)),
});
export type Report = z.output<typeof report>;
export type ReportDecision = NonNullable<Report['decision']>['what'];

export interface Moderator {
  by: string;
  at: number;
}

const withDueSteps = (existing: Report, ...steps: ReportStep[]): Report => ({
  ...existing,
  due: reportSteps.filter((step) => existing.due.includes(step) || steps.includes(step)),
});

export const withoutDueStep = (existing: Report, done: ReportStep): Report => ({
  ...existing,
  due: existing.due.filter((step) => step !== done),
});

/** Only the first decision counts. */
export function withDecision(existing: Report, what: ReportDecision, moderator: Moderator): Report {
  if (existing.decision || isBeingErased(existing)) throw new Refusal('refusals.reports.over');
  const updated = { ...existing, decision: { what, ...moderator } };
  return what === 'removed' ? withDueSteps(updated, 'remove', 'edit') : withDueSteps(updated, 'edit');
}

/** A report about a result that a moderator has removed because of another report. */
export const withOtherDecision = (existing: Report, decision: NonNullable<Report['decision']>): Report =>
  isUndecided(existing) ? withDueSteps({ ...existing, decision }, 'edit') : existing;

export function withBlocked(existing: Report, until: number | undefined, moderator: Moderator): Report {
  assertBlockable(existing);
  return withDueSteps({ ...existing, block: { ...moderator, ...(until !== undefined && { until }) } }, 'block', 'edit');
}

/** A dismissed report has no consequences for the member. */
export function assertBlockable(existing: Report): void {
  if (existing.block || existing.decision?.what === 'dismissed' || isBeingErased(existing))
    throw new Refusal('refusals.reports.over');
}

/** Whether no moderator has decided about the result yet. */
export const isUndecided = (existing: Report): boolean => existing.decision === undefined && !isBeingErased(existing);

const isBeingErased = ({ due }: Report): boolean => due.includes('erase');

export const withMessage = (existing: Report, messageId: string): Report =>
  withoutDueStep({ ...existing, messageId }, 'post');

/** The report without a member whose data was erased; if the result was theirs, the report is due to be deleted. */
export function reportWithoutMember(existing: Report, memberId: string): Report {
  const { requesterId, reporterId, words, decision, block } = existing;
  if (requesterId === memberId)
    return { ...existing, requesterId: undefined, reporterId: undefined, words: undefined, due: ['erase'] };
  const isReporter = reporterId === memberId;
  const updated: Report = {
    ...existing,
    ...(isReporter && { reporterId: undefined, words: undefined }),
    ...(decision?.by === memberId && { decision: { ...decision, by: undefined } }),
    ...(block?.by === memberId && { block: { ...block, by: undefined } }),
  };
  const isSame = reporterId === updated.reporterId && words === updated.words;
  if (isSame && decision?.by === updated.decision?.by && block?.by === updated.block?.by) return existing;
  return withDueSteps(updated, 'edit');
}
