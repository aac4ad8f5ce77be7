import { customIds } from '../../discord/custom-ids.ts';
import { escapeText, linkToMessage, memberMention } from '../../discord/markdown.ts';
import { buttonPlan, type Control, type MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { PresetContent } from '../../services/orders/preset.ts';
import { MAX_REPORT_TEXT_LENGTH, type Report } from '../../services/safety/report.ts';
import type { ReportHistory } from '../../services/safety/reports.ts';

/** As much as the message of a result shows, which is all that the member who reported it could see. */
const MAX_PROMPT_LENGTH = 700;

/** The preset, or the prompt, masked for the report's server; undefined if it is no longer stored. */
type Reported = PresetContent | string | undefined;

/** A report as moderators see it, with their decision. */
export function reportMessage(report: Report, reported: Reported, history: ReportHistory, say: Say): MessagePlan {
  const { reporterId, reason, words } = report;
  const text = escapeText(words ?? '', MAX_REPORT_TEXT_LENGTH + 100);
  return {
    content: [
      titleOf(report, say),
      say('reports.reason', { reason: say(`reports.reasons.${reason}`) }),
      ...(text === '' ? [] : [`> ${text}`]),
      ...reportedLines(reported, say),
      say('reports.reporter', { who: memberMention(reporterId, say) }),
      ...historyLines(history, say),
      ...decisionLines(report, say),
    ].join('\n'),
    controls: controls(report, say),
    // The image goes with the result.
    ...(report.decision?.what === 'removed' && { files: [] }),
  };
}

function titleOf({ guildId, message, requesterId, isPreset, at }: Report, say: Say): string {
  const facts = { who: memberMention(requesterId, say), at: toSeconds(at) };
  if (message) return say('reports.title', { ...facts, link: linkToMessage({ guildId, ...message }) });
  return isPreset ? say('reports.presetTitle', facts) : say('reports.privateTitle', facts);
}

function reportedLines(reported: Reported, say: Say): string[] {
  const prompt = escapeText(typeof reported === 'object' ? reported.template : (reported ?? ''), MAX_PROMPT_LENGTH);
  if (typeof reported !== 'object') return prompt === '' ? [] : [say('reports.prompt', { prompt })];
  return [`**${escapeText(reported.name, MAX_PROMPT_LENGTH)}**`, say('presets.template', { template: prompt })];
}

const toSeconds = (ms: number): number => Math.floor(ms / 1000);

function historyLines({ count, lastAt, ...sums }: ReportHistory, say: Say): string[] {
  if (count === 0) return [say('reports.noHistory')];
  return [say('reports.history', { count, ...sums, last: toSeconds(lastAt ?? 0) })];
}

function decisionLines({ decision, block, isPreset }: Report, say: Say): string[] {
  return [
    ...(decision
      ? [
          say(`reports.decided.${isPreset && decision.what === 'removed' ? 'presetRemoved' : decision.what}`, {
            who: memberMention(decision.by, say),
            at: toSeconds(decision.at),
          }),
        ]
      : []),
    ...(block ? [blockLine(block, say)] : []),
  ].map((line) => `-# ${line}`);
}

function blockLine({ by, at, until }: NonNullable<Report['block']>, say: Say): string {
  const facts = { who: memberMention(by, say), at: toSeconds(at) };
  if (until === undefined) return say('reports.decided.blocked', facts);
  return say('reports.decided.blockedUntil', { ...facts, until: Math.ceil(until / 1000) });
}

/** A dismissed report is closed; after a removal the member can still be blocked. */
function controls({ id, decision, block }: Report, say: Say): Control[] {
  return [
    ...(decision ? [] : [buttonPlan(say('reports.remove'), customIds.reportRemove.id(id), { style: 'danger' })]),
    ...(block || decision?.what === 'dismissed'
      ? []
      : [buttonPlan(say('reports.block'), customIds.reportBlock.id(id))]),
    ...(decision ? [] : [buttonPlan(say('reports.dismiss'), customIds.reportDismiss.id(id))]),
  ];
}
