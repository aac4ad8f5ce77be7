import { median, table } from './table.ts';

/** The names of the compared variants, with their titles. */
type Variants<Name extends string> = Readonly<Record<Name, string>>;

/** One cell of a row, from the figures of its variant and of the variant that it is compared with. */
type Cell<Figures> = (figures: readonly Figures[], base: readonly Figures[]) => string;
type Pick<Figures> = (figures: Figures) => number;

export type Columns<Figures> = readonly (readonly [head: string, cell: Cell<Figures>])[];

/** Measures each variant once a round; every second round in reverse order, so that a busy moment of the machine affects all of them. */
export async function alternate<Name extends string, Figures>(
  variants: Variants<Name>,
  rounds: number,
  measure: (name: Name) => Promise<Figures>,
): Promise<Record<Name, Figures[]>> {
  const names = Object.keys(variants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await measure(name));
  return results;
}

/** A table with a row for each variant. Ratios are to `base`, by default the first variant. */
export function comparison<Name extends string, Figures>(
  variants: Variants<Name>,
  results: Readonly<Record<Name, readonly Figures[]>>,
  columns: Columns<Figures>,
  base = Object.keys(variants)[0] as Name,
): string {
  const rows = (Object.keys(variants) as Name[]).map((name) => [
    variants[name],
    ...columns.map(([, cell]) => cell(results[name], results[base])),
  ]);
  return table(['', ...columns.map(([head]) => head)], rows);
}

export const number = (value: number, digits = 0): string =>
  Number.isNaN(value)
    ? ''
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const medianOf =
  <Figures>(pick: Pick<Figures>, digits = 0, unit = ''): Cell<Figures> =>
  (figures) =>
    number(median(figures.map(pick)), digits) + unit;

/** How many times the median of the compared variant. */
export const ratioOf =
  <Figures>(pick: Pick<Figures>, digits = 2): Cell<Figures> =>
  (figures, base) =>
    number(median(figures.map(pick)) / median(base.map(pick)), digits);

/** The median, followed by the minimum and the maximum in brackets. */
export function range(values: readonly number[], digits: number): string {
  if (values.length === 0) return '-';
  return `${number(median(values), digits)} (${number(Math.min(...values), digits)} to ${number(Math.max(...values), digits)})`;
}

export const rangeOf =
  <Figures>(pick: Pick<Figures>, digits = 0): Cell<Figures> =>
  (figures) =>
    range(figures.map(pick), digits);
