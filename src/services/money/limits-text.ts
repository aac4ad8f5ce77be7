import { z } from 'zod';
import { dollarsText, exactDollars } from '../../lib/formats.ts';
import { PriceRefusal, Refusal } from '../../lib/refusal.ts';
import type { Allowance } from './allowance.ts';
import type { Cap, CapsByPeriod, Limits } from './limits.ts';
import { type Period, periods } from './periods.ts';

/** One term such as `video: 10 tasks a week`. */
const PERIOD_TERM =
  /^(?:(?<kind>[a-z][a-z0-9-]{0,39}):\s*)?(?:\$(?<amount>\d{1,9}(?:\.\d{1,12})?)|(?<tasks>\d{1,9}) tasks?)\s*(?:\/|a |per )\s*(?<period>day|week|month)$/;
const COUNT_TERM = /^(?<count>\d{1,6}) (?<name>at once|waiting)$/;
const WEIGHT_TERM = /^weight (?<weight>[1-9]\d?)$/;

const MAX_TEXT_LENGTH = 1_000;
const NO_LIMIT = 'none';

/** The commas in `1,000` separate no terms. */
const withoutGroups = (text: string): string => text.replace(/(?<=\b\d{1,3}(?:,\d{3})*),(?=\d{3}\b)/g, '');

/**
 * Parses limits as operators and admins write them: `$5 a day, 100 tasks a day, video: 10 tasks a week, 3 at once, 20 waiting`.
 * Returns undefined if the text is invalid. Only an explicit `none` means no limits.
 */
export function parseLimits(text: string, kinds: readonly string[]): Limits | undefined {
  const normalized = withoutGroups(text.trim().toLowerCase());
  if (normalized.length > MAX_TEXT_LENGTH) return undefined;
  if (normalized === NO_LIMIT) return {};
  let limits: Limits = {};
  for (const term of normalized.split(',')) {
    const updated = withTerm(limits, term.trim(), kinds);
    if (!updated) return undefined;
    limits = updated;
  }
  return limits;
}

function withTerm(limits: Limits, term: string, kinds: readonly string[]): Limits | undefined {
  const { count, name } = COUNT_TERM.exec(term)?.groups ?? {};
  if (count !== undefined) return withNumber(limits, name === 'waiting' ? 'waiting' : 'atOnce', count);
  const weight = WEIGHT_TERM.exec(term)?.groups?.weight;
  if (weight !== undefined) return withNumber(limits, 'weight', weight);
  const { kind, amount, tasks, period: word } = PERIOD_TERM.exec(term)?.groups ?? {};
  const period = periods.find((one) => one === word);
  if (period === undefined || (kind !== undefined && !kinds.includes(kind))) return undefined;
  const cap: Cap = amount === undefined ? { tasks: Number(tasks) } : { amount };
  if (kind === undefined) {
    const caps = withCap(limits, period, cap);
    return caps && { ...limits, ...caps };
  }
  const caps = withCap(limits.kinds?.[kind] ?? {}, period, cap);
  return caps && { ...limits, kinds: { ...limits.kinds, [kind]: caps } };
}

/** Undefined if the same limit is named twice. */
const withNumber = (limits: Limits, name: 'atOnce' | 'waiting' | 'weight', value: string): Limits | undefined =>
  limits[name] === undefined ? { ...limits, [name]: Number(value) } : undefined;

/** Undefined if the same limit is named twice. */
function withCap(caps: CapsByPeriod, period: Period, cap: Cap): CapsByPeriod | undefined {
  const { amount, tasks } = caps[period] ?? {};
  const isDuplicate =
    (cap.amount !== undefined && amount !== undefined) || (cap.tasks !== undefined && tasks !== undefined);
  return isDuplicate ? undefined : { ...caps, [period]: { ...caps[period], ...cap } };
}

const GRANT = /^(?:\$(?<amount>\d{1,9}(?:\.\d{1,12})?)|(?<tasks>\d{1,9}) tasks?)$/;

/** Parses `$5`, `20 tasks` or both; undefined if the text is invalid or grants nothing. */
export function parseGrant(text: string): Cap | undefined {
  const terms = withoutGroups(text.trim().toLowerCase().slice(0, MAX_TEXT_LENGTH)).split(',');
  let grant: Cap = {};
  for (const term of terms) {
    const { amount, tasks } = GRANT.exec(term.trim())?.groups ?? {};
    if (Number(amount ?? tasks) === 0) return undefined;
    if (amount !== undefined && grant.amount === undefined) grant = { ...grant, amount };
    else if (tasks !== undefined && grant.tasks === undefined) grant = { ...grant, tasks: Number(tasks) };
    else return undefined;
  }
  return grant;
}

/** Formats limits as the text that `parseLimits` reads: for comparisons, histories and settings. `discord/limit-words.ts` has what members read. */
export function limitsText(limits: Limits): string {
  const terms = [
    ...capTerms(limits),
    ...Object.entries(limits.kinds ?? {}).flatMap(([kind, caps]) => capTerms(caps).map((term) => `${kind}: ${term}`)),
    ...(limits.atOnce === undefined ? [] : [`${grouped(limits.atOnce)} at once`]),
    ...(limits.waiting === undefined ? [] : [`${grouped(limits.waiting)} waiting`]),
    ...(limits.weight === undefined ? [] : [`weight ${limits.weight}`]),
  ];
  return terms.length === 0 ? NO_LIMIT : terms.join(', ');
}

const capTerms = (caps: CapsByPeriod): string[] =>
  periods.flatMap((period) => {
    const { amount, tasks } = caps[period] ?? {};
    return [
      ...(amount === undefined
        ? []
        : [`${(amount.includes('.') ? exactDollars : dollarsText)(amount, ENGLISH)} a ${period}`]),
      ...(tasks === undefined ? [] : [`${grouped(tasks)} ${tasks === 1 ? 'task' : 'tasks'} a ${period}`]),
    ];
  });

const ENGLISH = { language: 'en' };
const grouped = (count: number): string => count.toLocaleString('en');

interface RefusedOrder {
  amount: string | undefined;
  isUpperBound?: true | undefined;
  /** How many orders the member is submitting together. */
  count?: number;
}

/** The refusal of a request that would exceed this limit. The limit, the price and what is left are worded for their reader (`discord/limit-words.ts`). */
export function refusalFor(allowance: Allowance, { amount, isUpperBound, count = 1 }: RefusedOrder): Refusal {
  const { holder, period, resetsAt, kind, unit } = allowance;
  const limit = [unit, allowance.limit, period ?? '', kind ?? ''];
  if (period === undefined && Number(allowance.limit) === 0) return new Refusal('refusals.noneAtOnce');
  if (period === undefined || resetsAt === undefined) return new Refusal(`refusals.concurrent.${holder}`, { limit });
  const refusal = new Refusal(`refusals.overBudget.${holder}`, {
    limit,
    left: [unit, allowance.left],
    price:
      amount === undefined ? ['notKnown'] : [isUpperBound ? 'atMost' : 'about', amount, ...(count > 1 ? ['each'] : [])],
    resets: Math.ceil(resetsAt / 1000),
  });
  return unit === 'amount' ? new PriceRefusal(refusal) : refusal;
}

const start = z.object({ text: z.string(), at: z.number() });

/** The operator's limits, and when the bot first started with them. */
export const limitStarts = z.object({ total: start, server: start, member: start, direct: start });
export type LimitStarts = z.output<typeof limitStarts>;

export function updateStarts(
  known: LimitStarts | undefined,
  settings: Readonly<Record<keyof LimitStarts, Limits>>,
  now: number,
): LimitStarts {
  const startOf = (holder: keyof LimitStarts): LimitStarts[typeof holder] => {
    const text = limitsText(settings[holder]);
    return known?.[holder].text === text ? known[holder] : { text, at: now };
  };
  return { total: startOf('total'), server: startOf('server'), member: startOf('member'), direct: startOf('direct') };
}
