import { roundDown, roundUp } from '../lib/decimals.ts';
import { dollarsText, exactDollars, listText } from '../lib/formats.ts';
import type { Refusal } from '../lib/refusal.ts';
import { kindNameIn, type Say } from '../locales/index.ts';
import type { Allowance } from '../services/money/allowance.ts';
import type { Cap, CapsByPeriod, Limits } from '../services/money/limits.ts';
import { periods } from '../services/money/periods.ts';

/** Limits as members read them; in English, as they are typed. */
export function limitsWords(limits: Limits, say: Say): string {
  const nameOf = say.language === 'en' ? String : kindNameIn(say);
  const { atOnce, waiting, weight, kinds = {} } = limits;
  const terms = [
    ...capTerms(limits, say),
    ...Object.entries(kinds).flatMap(([kind, caps]) =>
      capTerms(caps, say).map((limit) => say('limits.ofType', { kind: nameOf(kind), limit })),
    ),
    ...(atOnce === undefined ? [] : [say('limits.atOnce', { count: atOnce })]),
    ...(waiting === undefined ? [] : [say('limits.waiting', { count: waiting })]),
    ...(weight === undefined ? [] : [say('limits.weight', { weight })]),
  ];
  return terms.length === 0 ? say('limits.none') : listText(terms, say);
}

const capTerms = (caps: CapsByPeriod, say: Say): string[] =>
  periods.flatMap((period) => {
    const { amount, tasks } = caps[period] ?? {};
    return [
      ...(amount === undefined
        ? []
        : [say(`limits.amount.${period}`, { amount: quantityText('amount', amount, say) })]),
      ...(tasks === undefined ? [] : [say(`limits.tasks.${period}`, { count: tasks })]),
    ];
  });

export const grantWords = ({ amount, tasks }: Cap, say: Say): string =>
  listText(
    [
      ...(amount === undefined ? [] : [quantityText('amount', amount, say)]),
      ...(tasks === undefined ? [] : [quantityText('tasks', String(tasks), say)]),
    ],
    say,
  );

/** One limit, such as `10 tasks a week for Video` or `3 tasks at once`. */
export function allowanceText(
  { kind, unit, limit, period }: Pick<Allowance, 'kind' | 'unit' | 'limit' | 'period'>,
  say: Say,
): string {
  const text =
    unit === 'tasks' || period === undefined
      ? say(`limits.tasks.${period ?? 'atOnce'}`, { count: Number(limit) })
      : say(`limits.amount.${period}`, { amount: quantityText(unit, limit, say) });
  return kind === undefined ? text : say('limits.ofKind', { limit: text, kind: kindNameIn(say)(kind) });
}

/** Rounded, because prices have many digits; rounded down, so that it never shows more than is left. */
export const leftText = ({ unit, left }: Pick<Allowance, 'unit' | 'left'>, say: Say): string =>
  unit === 'amount' ? exactDollars(roundDown(left), say) : quantityText(unit, left, say);

export function quantityText(unit: Allowance['unit'], count: string, say: Say): string {
  if (unit === 'tasks') return say('limits.count', { count: Number(count) });
  return count.includes('.') ? exactDollars(count, say) : dollarsText(count, say);
}

/** The variables of `refusalFor` in words. */
export function wordedLimit({ limit, left, price }: Refusal['variables'], say: Say): Record<string, string> {
  return {
    ...(isTerms(limit) && { limit: limitOf(limit, say) }),
    ...(isTerms(left) && { left: leftText({ unit: unitOf(left), left: left[1] ?? '' }, say) }),
    ...(isTerms(price) && { price: priceOf(price, say) }),
  };
}

const isTerms = (variable: Refusal['variables'][string] | undefined): variable is readonly string[] =>
  typeof variable === 'object';

const unitOf = ([unit]: readonly string[]): Allowance['unit'] => (unit === 'tasks' ? 'tasks' : 'amount');

function limitOf(terms: readonly string[], say: Say): string {
  const [, limit = '', period, kind] = terms;
  return allowanceText(
    { unit: unitOf(terms), limit, period: periods.find((one) => one === period), kind: kind || undefined },
    say,
  );
}

function priceOf([bound, amount, each]: readonly string[], say: Say): string {
  if (amount === undefined) return say('cost.notKnown');
  const key = bound === 'atMost' ? 'atMost' : 'about';
  return say(each === undefined ? `cost.${key}` : `cost.each.${key}`, { amount: exactDollars(roundUp(amount), say) });
}
