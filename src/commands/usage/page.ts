import { customIds } from '../../discord/custom-ids.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { type ButtonPlan, buttonPlan, type MessagePlan } from '../../discord/plan.ts';
import { csv } from '../../lib/csv.ts';
import { isZero } from '../../lib/decimals.ts';
import { exactDollars, sentencesText } from '../../lib/formats.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import { remainingText, roundedDollars } from '../../messages/money.ts';
import type { Allowance, Holder } from '../../services/money/allowance.ts';
import { quickRange, quickRanges } from '../../services/money/usage-days.ts';
import {
  type ComparedModel,
  isWithinRange,
  type Sheet,
  type SheetNote,
  type UsageOwner,
} from '../../services/money/usage-sheet.ts';
import {
  dollarsOf,
  gatewayAmount,
  labelOf,
  mentionOf,
  rangeText,
  tableOf,
  totalText,
  truncateMiddle,
  type Unit,
} from './table.ts';

/** Discord's 2,000 characters, minus the line about rows that did not fit. */
const MAX_LENGTH = 1_900;

/** More rows than fit into any message. */
const MAX_LINES = 100;

/** Fewer rows for members and roles, because each is also named below the table, which takes as much space again. */
const MAX_MENTIONS = 12;

export interface UsagePage {
  sheet: Sheet;
  of: UsageOwner;
  chart: { bytes: Buffer; alt: string } | undefined;
  unit: Unit;
  today: string;
  /** What remains of the member's limits. */
  allowances: readonly Allowance[];
  /** How many more of the member's or the server's tasks may wait in the queue. */
  places: readonly { holder: Holder; max: number; left: number }[];
  /** Whether the bot's own amounts have every digit. The gateway's always have. */
  isExact: boolean;
  /** The member who posted it in a channel; undefined if the page is private. */
  postedBy: string | undefined;
}

export function usagePage(page: UsagePage, say: Say): MessagePlan {
  const { sheet, chart, unit, isExact, postedBy } = page;
  const headerLines = [heading(sheet, say), ...remainingLines(page, say), ...totalLines(page, say)];
  const author = postedBy === undefined ? [] : [say('usage.postedBy', { member: `<@${postedBy}>` })];
  const noteLines = [...notesOf(page, say), ...author];
  const controls = isExact ? [] : [...rangeButtons(page, say), ...exactButtons(page, say)];
  if (sheet.rows.length === 0) {
    const isEmpty = sheet.total === undefined || isZero(sheet.total);
    const emptyNote = isEmpty ? [say(`usage.empty.${sheet.subject}`)] : [];
    return { content: [...headerLines, ...emptyNote, ...noteLines].join('\n'), files: [], controls };
  }
  const visibleSheet = {
    ...sheet,
    rows: sheet.rows.slice(0, sheet.by === 'member' || sheet.by === 'role' ? MAX_MENTIONS : MAX_LINES),
  };
  const remainingLength = MAX_LENGTH - [...headerLines, ...mentionLines(visibleSheet), ...noteLines].join('\n').length;
  const { text, rowCount } = tableOf(visibleSheet, { unit, isExact, maxLength: remainingLength }, say);
  const remainingCount = sheet.rows.length - rowCount;
  const table =
    rowCount === 0 ? [] : [text, ...mentionLines({ ...visibleSheet, rows: visibleSheet.rows.slice(0, rowCount) })];
  const moreNote = remainingCount === 0 ? [] : [say('usage.more', { count: remainingCount })];
  const content = [...headerLines, ...table, ...moreNote, ...noteLines].join('\n');
  const { start, end } = sheet.range;
  const csvFile = { name: `usage-${start}-to-${end}.csv`, bytes: csvOf(sheet, unit) };
  return { content, files: [...(chart === undefined ? [] : [{ name: 'usage.png', ...chart }]), csvFile], controls };
}

/** What is left of the limits of each holder; of several, in a list. */
function remainingLines({ allowances, places }: UsagePage, say: Say): string[] {
  const remaining = [
    ...allowances.map((one) => ({ holder: one.holder, left: remainingText(one, say, { showsGrant: true }) })),
    ...places.map(({ holder, max, left }) => ({
      holder,
      left: say('usage.places', { left: String(left), count: max }),
    })),
  ];
  return [...Map.groupBy(remaining, ({ holder }) => holder)].flatMap(([holder, [first, ...others]]) =>
    first === undefined || others.length === 0
      ? [say(`usage.left.${holder}`, { left: first?.left ?? '' })]
      : [say(`usage.limits.${holder}`), ...[first, ...others].map(({ left }) => `- ${left}`)],
  );
}

/** The range is named only if the numbers are known to belong to it. */
function heading(sheet: Sheet, say: Say): string {
  const title = say(`usage.title.${sheet.subject}`);
  if (!isWithinRange(sheet)) return say('usage.headingWithoutRange', { title });
  return say('usage.heading', { title, range: rangeText(sheet.range, say) });
}

function totalLines({ sheet, unit, isExact }: UsagePage, say: Say): string[] {
  const { requests: count, subject } = sheet;
  // The gateway counts requests, the bot tasks.
  const isAccount = subject === 'account';
  const total = totalText(sheet, unit, isExact, say);
  if (total === undefined)
    return count === undefined ? [] : [say(isAccount ? 'usage.requests' : 'usage.tasks', { count })];
  if (count === undefined) return [say('usage.total', { total })];
  return [say(isAccount ? 'usage.totalRequests' : 'usage.totalTasks', { total, count })];
}

/** Discord does not render mentions in a code block, so they are listed below it. They do not notify anyone, because pings are off. */
function mentionLines(sheet: Sheet): string[] {
  const names = sheet.rows.flatMap((row, index) => {
    const mention = mentionOf(row, sheet);
    return mention === undefined ? [] : [`#${index + 1} ${mention}`];
  });
  return names.length === 0 ? [] : [names.join(' · ')];
}

function rangeButtons({ sheet, of, today }: UsagePage, say: Say): ButtonPlan[] {
  return quickRanges.map((range) => {
    const { start, end } = quickRange(range, today);
    const isShown = start === sheet.range.start && end === sheet.range.end;
    const style = isShown ? 'primary' : 'plain';
    return buttonPlan(say(`usage.buttons.${range}`), customIds.usage.id({ range, by: sheet.by, of }), { style });
  });
}

/** Only amounts in dollars are rounded. */
function exactButtons({ sheet, of }: UsagePage, say: Say): ButtonPlan[] {
  if (sheet.subject === 'account' || sheet.total === undefined) return [];
  const { start, end } = sheet.range;
  return [buttonPlan(say('usage.buttons.exact'), customIds.exactUsage.id({ start, end, by: sheet.by, of }))];
}

function notesOf({ sheet, unit, isExact }: UsagePage, say: Say): string[] {
  const { notes, range } = sheet;
  const lines = notes.map((note) => noteOf(note, rangeText(range, say), unit, isExact, say));
  const hasAmounts =
    sheet.subject === 'account' ? sheet.total !== undefined : notes.some(({ kind }) => kind === 'atGateway');
  if (unit === undefined && hasAmounts)
    lines.push(sheet.subject === 'account' ? say('usage.note.unit') : say('usage.note.gatewayUnit'));
  return sheet.isEstimate ? [...lines, say('usage.note.estimate')] : lines;
}

function noteOf(note: SheetNote, range: string, unit: Unit, isExact: boolean, say: Say): string {
  switch (note.kind) {
    case 'totalOnly':
      return say('usage.note.totalOnly', { range });
    case 'otherDays': {
      const { count, first, last, total } = note;
      const days = rangeText({ start: first, end: last }, say);
      const daysNote = say('usage.note.otherDays', { count, range: days });
      if (total === undefined) return daysNote;
      return sentencesText([daysNote, say('usage.note.otherTotal', { total: gatewayAmount(total, unit, say) })], say);
    }
    case 'undated':
      return say('usage.note.undated', { range });
    case 'differs':
      return say('usage.note.differs', { sum: gatewayAmount(note.sum, unit, say) });
    case 'atGateway':
      return say('usage.note.atGateway', { total: gatewayAmount(note.total, unit, say) });
    case 'noGatewayTotal':
      return say('usage.note.noGatewayTotal');
    case 'open':
    case 'waived':
    case 'unconfirmed':
    case 'unpriced':
      return say(`usage.note.${note.kind}`, { count: note.count });
    case 'severalRoles':
      return say('usage.note.severalRoles');
    case 'compared':
      return comparedText(note.models, isExact, say);
  }
}

/** More models than this could not be read at a glance. */
const MAX_COMPARED = 5;
const MAX_MODEL_LENGTH = 40;

function comparedText(models: readonly ComparedModel[], isExact: boolean, say: Say): string {
  const dollars = isExact ? exactDollars : roundedDollars;
  const lines = models.slice(0, MAX_COMPARED).map(({ label, count, estimate, cost }) => {
    const model = label === undefined ? say('usage.noModel') : inlineCode(truncateMiddle(label, MAX_MODEL_LENGTH));
    return say('usage.note.comparedModel', {
      model,
      count,
      estimate: dollars(estimate, say),
      cost: dollars(cost, say),
    });
  });
  return [say('usage.note.compared'), ...lines].join('\n');
}

/** Contains every row of the sheet, with unrounded amounts. Programs read it, so it is in English. */
export function csvOf(sheet: Sheet, unit: Unit): Buffer {
  const hasDollars = sheet.rows.some(({ amount }) => dollarsOf(sheet, amount, unit) !== undefined);
  const header = [
    ...[sheet.by, 'requests', 'amount'],
    ...(hasDollars ? ['dollars'] : []),
    ...(sheet.isEstimate ? ['estimate'] : []),
  ];
  const rows = sheet.rows.map((row) => [
    labelOf(row, sheet, sayIn('en')),
    row.requests === undefined ? '' : String(row.requests),
    row.amount ?? '',
    ...(hasDollars ? [dollarsOf(sheet, row.amount, unit) ?? ''] : []),
    ...(sheet.isEstimate ? [row.isEstimate ? 'yes' : 'no'] : []),
  ]);
  return csv([header, ...rows]);
}
